"use client";

import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Keyboard, Search } from "lucide-react";
import Link from "next/link";
import { usePathname, useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { SeverityShape } from "@/components/ui/severity";
import type { Frame } from "@/lib/contracts/common";
import { formatCount } from "@/lib/format/number";
import { frameQuery } from "@/lib/queries/frame";
import { useKeyBinding } from "./key-bindings";
import { KeysDialog } from "./keys-dialog";
import { Palette } from "./palette";
import { ThemeToggle } from "./theme-toggle";

const NAV = [
  { href: "/", label: "Fleet", isCurrent: (path: string) => path === "/" || path.startsWith("/clusters/") },
  { href: "/agents", label: "Agents", isCurrent: (path: string) => path.startsWith("/agents") },
  { href: "/rules", label: "Rules", isCurrent: (path: string) => path.startsWith("/rules") },
  {
    href: "/settings/clusters",
    label: "Settings",
    isCurrent: (path: string) => path.startsWith("/settings"),
  },
] as const;

/** Name, navigation, freshness of the fleet, palette, keys, theme. Stands above every page. */
export function TopBar() {
  const path = usePathname();
  const router = useRouter();
  const { data: frame } = useQuery(frameQuery());
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const [areKeysOpen, setAreKeysOpen] = useState(false);
  useKeyBinding("?", "List the keys", () => setAreKeysOpen(true));
  useKeyBinding("g f", "Go to the fleet", () => router.push("/"));
  useKeyBinding("g a", "Go to the agents", () => router.push("/agents"));
  usePaletteKey(() => setIsPaletteOpen((isOpen) => !isOpen));
  return (
    <header className="no-print sticky top-0 z-30 flex h-[var(--bar-h)] items-center gap-4 border-b border-line bg-panel px-[var(--page-pad)] max-sm:static max-sm:h-auto max-sm:flex-wrap max-sm:gap-x-2 max-sm:pt-2">
      <Link
        href="/"
        className="flex items-center gap-[9px] font-semibold tracking-[0.08em] text-fg hover:no-underline"
      >
        <Mark />
        HEADROOM
      </Link>
      {frame?.isDemo === true && (
        <Link
          href="/first-run"
          title="Generated clusters, served on loopback"
          className="rounded-1 border border-dashed border-control px-[5px] py-px text-xs text-fg-2"
        >
          demo fleet
        </Link>
      )}
      <nav
        aria-label="Main"
        className="flex h-full gap-0.5 max-sm:order-last max-sm:-mx-3 max-sm:h-10 max-sm:basis-full max-sm:px-1"
      >
        {NAV.map(({ href, label, isCurrent }) => (
          <Link
            key={href}
            href={href}
            aria-current={isCurrent(path) ? "page" : undefined}
            className={clsx(
              "flex items-center border-y-2 border-t-transparent px-2.5 hover:bg-raised hover:text-fg hover:no-underline",
              isCurrent(path) ? "border-b-accent font-medium text-fg" : "border-b-transparent text-fg-2",
            )}
          >
            {label}
          </Link>
        ))}
      </nav>
      <span className="ml-auto" />
      {frame !== undefined && frame.clusters > 0 && <Freshness frame={frame} />}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setIsPaletteOpen(true)}
        className="flex h-[var(--control-h)] w-[270px] items-center gap-2 rounded-2 border border-line-strong bg-raised px-2 text-fg-3 max-lg:w-[190px] max-sm:w-auto"
      >
        <Search size={14} aria-hidden="true" className="flex-none" />
        <span className="truncate max-sm:sr-only">Find a cluster, agent, rule or page</span>
        <kbd className="ml-auto whitespace-nowrap max-sm:hidden">Ctrl K</kbd>
      </button>
      <Button
        look="icon"
        aria-label="Keys"
        title="Keys (?)"
        className="max-sm:hidden"
        onClick={() => setAreKeysOpen(true)}
      >
        <Keyboard size={15} aria-hidden="true" />
      </Button>
      <ThemeToggle />
      <Palette isOpen={isPaletteOpen} onOpenChange={setIsPaletteOpen} />
      <KeysDialog isOpen={areKeysOpen} onOpenChange={setAreKeysOpen} />
    </header>
  );
}

/** `13 of 14 fresh`; with the shape of trouble where some are not. */
function Freshness({ frame }: { frame: Frame }) {
  const isAllFresh = frame.freshClusters === frame.clusters;
  return (
    <span
      title={`${frame.freshClusters} of ${frame.clusters} clusters were read within two of their periods`}
      className="inline-flex h-[22px] items-center gap-1.5 whitespace-nowrap rounded-full border border-line-strong px-2 text-s text-fg-2 tabular-nums max-sm:hidden"
    >
      <SeverityShape kind={isAllFresh ? "ok" : "unknown"} className={isAllFresh ? "" : "text-unknown"} />
      {formatCount(frame.freshClusters)} of {formatCount(frame.clusters)} fresh
    </span>
  );
}

/** Columns under a line: seats in use and what is left above them. */
function Mark() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" className="size-5 fill-none">
      <path d="M2 3.5H18" stroke="var(--limit)" strokeWidth="2" />
      <path d="M4 17V12M8.5 17V9M13 17V13.5M17.5 17V6.5" stroke="var(--accent)" strokeWidth="2.4" />
    </svg>
  );
}

/** Ctrl K and Cmd K work in fields as well, and are not single-letter keys. */
function usePaletteKey(toggle: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== "k" ||
        !(event.ctrlKey || event.metaKey) ||
        event.altKey ||
        event.shiftKey
      )
        return;
      event.preventDefault();
      toggle();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });
}

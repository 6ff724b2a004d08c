"use client";

import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useEffect, useState } from "react";
import { agentHref } from "@/components/agents/agent-href";
import { readItem, writeItem } from "@/components/preferences/preferences";
import { ruleHref } from "@/components/rules/rule-row";
import { Dialog } from "@/components/ui/dialog";
import { SeverityMark } from "@/components/ui/severity";
import type { PaletteResponse } from "@/lib/contracts/fleet";
import { paletteQuery } from "@/lib/queries/frame";
import { type PaletteEntry, rankEntries } from "./rank-entries";

const RECENT_KEY = "headroom.palette-recent";
const RECENT_KEPT = 8;

const PAGES: readonly PaletteEntry[] = [
  { href: "/", name: "Fleet", kind: "page", keywords: ["clusters", "changes"] },
  { href: "/agents", name: "Agents", kind: "page", keywords: ["fan-out", "storm", "what if"] },
  {
    href: "/settings/clusters",
    name: "Settings: clusters",
    kind: "page",
    keywords: ["kubeconfig", "add", "permissions"],
  },
  {
    href: "/settings/preferences",
    name: "Settings: preferences",
    kind: "page",
    keywords: ["theme", "time zone", "keys"],
  },
  { href: "/rules", name: "Rules", kind: "page", keywords: ["findings", "help"] },
  { href: "/first-run", name: "How to add a cluster", kind: "page", keywords: ["first run", "demo"] },
];

/** Finds clusters, agents, rules and pages. Enter opens, Ctrl Enter in a new tab. */
export function Palette({
  isOpen,
  onOpenChange,
}: {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}) {
  return (
    <Dialog
      title="Find a cluster, agent, rule or page"
      isTitleHidden
      isOpen={isOpen}
      onOpenChange={onOpenChange}
    >
      <PaletteList onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function PaletteList({ onDone }: { onDone: () => void }) {
  const router = useRouter();
  const { data, error, isPending } = useQuery(paletteQuery());
  const [query, setQuery] = useState("");
  const [selectedHref, setSelectedHref] = useState("");
  const [recent] = useState(readRecent);
  const shown = rankEntries(
    [...PAGES, ...clusterEntries(data), ...agentEntries(data), ...ruleEntries(data)],
    query,
    recent,
  );
  const firstHref = shown[0]?.href ?? "";
  useEffect(() => setSelectedHref(firstHref), [firstHref]);

  const open = (href: string, isNewTab: boolean) => {
    writeItem(
      RECENT_KEY,
      JSON.stringify([href, ...recent.filter((other) => other !== href)].slice(0, RECENT_KEPT)),
    );
    onDone();
    if (isNewTab) window.open(href, "_blank", "noopener");
    else router.push(href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || selectedHref === "") return;
    event.preventDefault();
    event.stopPropagation();
    open(selectedHref, true);
  };
  return (
    <Command
      label="Find a cluster, agent, rule or page"
      shouldFilter={false}
      loop
      value={selectedHref}
      onValueChange={setSelectedHref}
      onKeyDownCapture={onKeyDown}
    >
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search size={14} aria-hidden="true" className="flex-none text-fg-3" />
        <Command.Input
          value={query}
          onValueChange={setQuery}
          placeholder="Cluster, agent, rule or page"
          className="h-11 w-full bg-transparent outline-none"
        />
      </div>
      <Command.List className="max-h-[52vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-2.5 py-3 text-fg-3">
          {isPending ? "Reading the clusters" : "Nothing by that name"}
        </Command.Empty>
        {shown.map((entry) => (
          <Command.Item
            key={entry.href}
            value={entry.href}
            onSelect={() => open(entry.href, false)}
            className="flex h-8 cursor-pointer items-center gap-2 rounded-1 px-2.5 data-[selected=true]:bg-accent-tint"
          >
            <span>{entry.name}</span>
            {entry.state !== undefined && <SeverityMark kind={entry.state} isWordHidden isQuiet />}
            <span className="ml-auto text-s text-fg-3">{entry.kind}</span>
          </Command.Item>
        ))}
        {error !== null && (
          <p role="alert" className="px-2.5 py-2 text-s text-error">
            Clusters could not be read: {error.message}
          </p>
        )}
      </Command.List>
    </Command>
  );
}

function clusterEntries(response: PaletteResponse | undefined): readonly PaletteEntry[] {
  return (response?.clusters ?? []).map(({ clusterId, name, state, version }) => ({
    href: `/clusters/${encodeURIComponent(clusterId)}`,
    name,
    kind: "cluster",
    keywords: version === null ? [] : [version],
    state,
  }));
}

function agentEntries(response: PaletteResponse | undefined): readonly PaletteEntry[] {
  return (response?.agents ?? []).map(({ agentId, title }) => ({
    href: agentHref(agentId),
    name: title,
    kind: "agent",
    keywords: [agentId],
  }));
}

function ruleEntries(response: PaletteResponse | undefined): readonly PaletteEntry[] {
  return (response?.rules ?? []).map(({ name, title }) => ({
    href: ruleHref(name),
    name,
    kind: "rule",
    keywords: [title],
  }));
}

function readRecent(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(readItem(RECENT_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((href) => typeof href === "string") : [];
  } catch {
    // Something else wrote there: begin anew.
    return [];
  }
}

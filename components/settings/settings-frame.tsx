"use client";

import { clsx } from "clsx";
import Link from "next/link";
import type { ReactNode } from "react";
import { PageHead } from "@/components/frame/page-head";

const TABS = [
  { area: "clusters", label: "Clusters" },
  { area: "preferences", label: "Preferences" },
] as const;

/** Head and tabs of the settings pages. */
export function SettingsFrame(props: {
  area: (typeof TABS)[number]["area"];
  facts?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { area, facts, actions, children } = props;
  return (
    <>
      <PageHead title="Settings" facts={facts} actions={actions} />
      <nav aria-label="Settings pages" className="flex gap-0.5 overflow-x-auto border-b border-line-strong">
        {TABS.map((tab) => (
          <Link
            key={tab.area}
            href={`/settings/${tab.area}`}
            aria-current={tab.area === area ? "page" : undefined}
            className={clsx(
              "-mb-px flex items-center whitespace-nowrap border-b-2 px-3 pt-1.5 pb-[7px] hover:text-fg hover:no-underline",
              tab.area === area ? "border-accent font-medium text-fg" : "border-transparent text-fg-2",
            )}
          >
            {tab.label}
          </Link>
        ))}
      </nav>
      {children}
    </>
  );
}

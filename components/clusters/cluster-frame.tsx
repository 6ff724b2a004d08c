"use client";

import { clsx } from "clsx";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { displayVersion } from "@/components/fleet/prepare-fleet-rows";
import { useKeyBinding } from "@/components/frame/key-bindings";
import { PageHead } from "@/components/frame/page-head";
import { Age } from "@/components/time/instant";
import { SeverityMark } from "@/components/ui/severity";
import type { ClusterHeader } from "@/lib/contracts/cluster";
import { formatBytes } from "@/lib/format/bytes";
import { formatCount, formatFixed } from "@/lib/format/number";
import { formatOwnSeats } from "@/lib/format/own-seats";

export type ClusterArea = "overview" | "fan-out" | "fairness" | "history";

const TABS: readonly { readonly area: ClusterArea; readonly label: string }[] = [
  { area: "overview", label: "Overview" },
  { area: "fan-out", label: "Fan-out" },
  { area: "fairness", label: "Fairness" },
  { area: "history", label: "History" },
];

/** The path of a cluster's page. */
export const clusterHref = (clusterId: string, area: ClusterArea = "overview"): string =>
  `/clusters/${encodeURIComponent(clusterId)}${area === "overview" ? "" : `/${area}`}`;

/** Head and tabs of every cluster page. `[` and `]` go to its neighbours in the fleet's order and keep the tab. */
export function ClusterFrame(props: {
  header: ClusterHeader;
  area: ClusterArea;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { header, area, actions, children } = props;
  const router = useRouter();
  const goTo = (clusterId: string | null) =>
    clusterId === null ? null : () => router.push(clusterHref(clusterId, area));
  useKeyBinding("[", "Previous cluster, same tab", goTo(header.previousClusterId));
  useKeyBinding("]", "Next cluster, same tab", goTo(header.nextClusterId));
  return (
    <>
      <PageHead
        title={header.name}
        crumb={
          <>
            <Link href="/">Fleet</Link> <span aria-hidden="true">/</span>{" "}
            <span aria-current="page">{header.name}</span>
          </>
        }
        facts={<Facts header={header} />}
        actions={actions}
      />
      <nav aria-label="Cluster pages" className="flex gap-0.5 overflow-x-auto border-b border-line-strong">
        {TABS.map((tab) => (
          <Link
            key={tab.area}
            href={clusterHref(header.clusterId, tab.area)}
            aria-current={tab.area === area ? "page" : undefined}
            className={clsx(
              "-mb-px flex items-center gap-1.5 whitespace-nowrap border-b-2 px-3 pt-1.5 pb-[7px] hover:text-fg hover:no-underline",
              tab.area === area ? "border-accent font-medium text-fg" : "border-transparent text-fg-2",
            )}
          >
            {tab.label}
            {tab.area === "fairness" && <Count {...header.fairness} />}
            {tab.area === "fan-out" && <Count {...header.fanOut} />}
          </Link>
        ))}
      </nav>
      {children}
    </>
  );
}

function Facts({ header }: { header: ClusterHeader }) {
  const { version, nodes, pods, apiServers, apiServersRead, dataAt, unreachableSince, ownCost, ownSeats } =
    header;
  return (
    <>
      {unreachableSince !== null && (
        <SeverityMark
          kind="unreachable"
          word={
            <>
              unreachable for <Age at={unreachableSince} />
            </>
          }
        />
      )}
      <span>
        Kubernetes <b>{version === null ? "version not known" : displayVersion(version)}</b>
      </span>
      <CountFact value={nodes} word="nodes" />
      <CountFact value={pods} word="pods" />
      <span>
        {apiServers === null ? (
          "number of API servers not known"
        ) : (
          <>
            <b>{formatCount(apiServers)}</b> API {apiServers === 1 ? "server" : "servers"}
            {apiServersRead !== null && apiServersRead < apiServers && (
              <span className="text-unknown">, {formatCount(apiServersRead)} read</span>
            )}
          </>
        )}
      </span>
      <span>
        {dataAt === null ? (
          <span className="text-unknown">never read</span>
        ) : (
          <>
            data{" "}
            <b>
              <Age at={dataAt} />
            </b>{" "}
            old
          </>
        )}
      </span>
      {ownCost !== null && (
        <span>
          Headroom’s own cost <b>{formatFixed(ownCost.requestsPerMinute, 1)}</b> requests/min,{" "}
          <b>{formatBytes(ownCost.wireBytesPerMinute)}</b>/min, {formatOwnSeats(ownSeats)}
        </span>
      )}
    </>
  );
}

function CountFact({ value, word }: { value: number | null; word: string }) {
  return (
    <span>
      {value === null ? (
        `${word} not known`
      ) : (
        <>
          <b>{formatCount(value)}</b> {word}
        </>
      )}
    </span>
  );
}

function Count({ severity, findings }: ClusterHeader["fairness"]) {
  if (findings === 0 || (severity !== "error" && severity !== "warning")) return null;
  return (
    <span
      className={clsx(
        "h-4 min-w-4 rounded-1 px-1 text-center text-xs leading-4 tabular-nums",
        severity === "error" ? "bg-error-tint text-error" : "bg-warning-tint text-warning",
      )}
    >
      {formatCount(findings)}
      <span className="sr-only"> {severity}</span>
    </span>
  );
}

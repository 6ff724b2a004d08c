import Link from "next/link";
import type { ReactNode } from "react";
import { displayVersion } from "@/components/fleet/prepare-fleet-rows";
import { Age, Instant } from "@/components/time/instant";
import { Panel, PanelBody } from "@/components/ui/panel";
import { SeverityMark } from "@/components/ui/severity";
import type { OverviewResponse } from "@/lib/contracts/cluster";
import type { SeverityValue } from "@/lib/contracts/common";
import { formatBytes, formatMemory } from "@/lib/format/bytes";
import { formatCount, formatPlural, formatSeats } from "@/lib/format/number";
import { clusterHref } from "./cluster-frame";
import { partSeverity } from "./part-words";

/** The areas of risk, three figures each, with the way to their evidence. */
export function RiskPanels({ response }: { response: OverviewResponse }) {
  return (
    <div className="grid gap-[var(--gap)] sm:grid-cols-2 lg:grid-cols-5">
      <FanOutCard response={response} />
      <FairnessCard response={response} />
      <CollectionCard response={response} />
      <ServersCard response={response} />
      <CapacityCard response={response} />
    </div>
  );
}

function FanOutCard({ response }: { response: OverviewResponse }) {
  const { header, fanOut } = response;
  return (
    <Panel title="Fan-out" meta={<SeverityMark kind={header.fanOut.severity} />}>
      <PanelBody className="grid gap-1.5">
        <p className="text-fg-2">
          {fanOut === null
            ? "Not simulated yet"
            : (fanOut.worst ?? "Every agent rolls normally, as far as it is known")}
        </p>
        <dl className="pairs">
          <Pair name="unsafe / visible">
            {fanOut === null ? (
              <NotKnown />
            ) : (
              `${formatCount(fanOut.unsafe)} / ${formatCount(fanOut.visible)}`
            )}
          </Pair>
          <Pair name="inconclusive">{fanOut === null ? <NotKnown /> : formatCount(fanOut.inconclusive)}</Pair>
          <Pair name="simulated">
            {fanOut === null ? (
              <NotKnown />
            ) : (
              <>
                <Age at={fanOut.at} /> ago
              </>
            )}
          </Pair>
        </dl>
        <Link href={clusterHref(header.clusterId, "fan-out")}>Open fan-out</Link>
      </PanelBody>
    </Panel>
  );
}

function FairnessCard({ response }: { response: OverviewResponse }) {
  const { header, busiest, findings } = response;
  const worst = findings.find(({ rule }) => rule.startsWith("fairness."));
  const isKnown = header.fairness.severity !== "unknown";
  return (
    <Panel title="Fairness" meta={<SeverityMark kind={header.fairness.severity} />}>
      <PanelBody className="grid gap-1.5">
        <p className="text-fg-2">
          {worst?.title ??
            (isKnown ? "No level is crowded or rejects" : "Not known while the cluster cannot be read")}
        </p>
        <dl className="pairs">
          <Pair name="busiest level">{busiest?.priorityLevelName ?? <NotKnown />}</Pair>
          <Pair name="on">{busiest?.serverName ?? <NotKnown />}</Pair>
          <Pair name="seats in use / limit">
            {busiest === null ? <NotKnown /> : formatSeats(busiest.executingSeats, busiest.currentLimitSeats)}
          </Pair>
        </dl>
        <Link href={clusterHref(header.clusterId, "fairness")}>Open fairness</Link>
      </PanelBody>
    </Panel>
  );
}

function CollectionCard({ response }: { response: OverviewResponse }) {
  const { header, parts } = response;
  const severity = worstOf(parts.map(({ status }) => partSeverity(status)));
  const notRead = parts.reduce(
    (sum, part) => sum + Math.max(part.notRead.length, part.status === "failed" ? 1 : 0),
    0,
  );
  const okParts = parts.filter(({ status }) => status === "ok").length;
  return (
    <Panel
      title="Collection"
      meta={<SeverityMark kind={header.unreachableSince === null ? severity : "unreachable"} />}
    >
      <PanelBody className="grid gap-1.5">
        <p className="text-fg-2">
          {header.unreachableSince !== null
            ? "The cluster does not answer"
            : parts.length === 0
              ? "The first pass has not ended"
              : notRead === 0 && okParts === parts.length
                ? "Everything asked for was read"
                : "Something is missing; it is named below"}
        </p>
        <dl className="pairs">
          <Pair name="parts read in full">
            {formatCount(okParts)} of {formatCount(parts.length)}
          </Pair>
          <Pair name="reads that failed">{formatCount(notRead)}</Pair>
          <Pair name="data age">{header.dataAt === null ? <NotKnown /> : <Age at={header.dataAt} />}</Pair>
        </dl>
        <Link href="/settings/clusters">Open permissions</Link>
      </PanelBody>
    </Panel>
  );
}

function ServersCard({ response }: { response: OverviewResponse }) {
  const { servers, serversNotRead, header, gates } = response;
  const direct = servers.filter(({ access }) => access === "direct").length;
  const isReached = header.unreachableSince === null;
  return (
    <Panel
      title="API servers"
      meta={
        isReached ? (
          `${formatCount(servers.filter(({ access }) => access !== "not-read").length)} of ${header.apiServers === null ? "not known" : formatCount(header.apiServers)} read`
        ) : (
          <SeverityMark kind="unknown" word="last known" />
        )
      }
    >
      <PanelBody className="grid gap-1.5">
        <p className="text-fg-2">
          {!isReached
            ? "None is read while the cluster does not answer"
            : servers.length === 0
              ? "None was told apart yet"
              : direct === servers.length
                ? "Each is read by its own address"
                : `${formatPlural(direct, "is", "are")} read by its own address`}
        </p>
        <dl className="pairs">
          {servers.slice(0, 5).map((server) => (
            <Pair key={server.id} name={server.name}>
              <span title={server.hostname ?? undefined}>
                {server.access === "not-read" ? (
                  <span className="text-unknown">not read</span>
                ) : (
                  <>
                    {server.gitVersion === null ? "version not known" : displayVersion(server.gitVersion)}
                    {server.processStartAt !== null && (
                      <span className="text-fg-3">
                        {" "}
                        up <Age at={server.processStartAt} />
                      </span>
                    )}
                  </>
                )}
              </span>
            </Pair>
          ))}
          {gates !== null && (
            <Pair name="feature gates on">
              {formatCount(gates.enabled)} of {formatCount(gates.total)}
            </Pair>
          )}
        </dl>
        {servers.length > 5 && <p className="text-s text-fg-3">and {formatCount(servers.length - 5)} more</p>}
        {serversNotRead.length > 0 && (
          <p className="text-s text-unknown">
            {formatPlural(serversNotRead.length, "read")} of single servers failed; see the collector below
          </p>
        )}
      </PanelBody>
    </Panel>
  );
}

function CapacityCard({ response }: { response: OverviewResponse }) {
  const { capacity, busiest, header } = response;
  const level = capacity.busiestLevel;
  const name = busiest?.priorityLevelName ?? "busiest level";
  return (
    <Panel
      title="Capacity"
      meta={
        header.unreachableSince === null ? (
          "per API server"
        ) : (
          <SeverityMark kind="unknown" word="last known, per API server" />
        )
      }
    >
      <PanelBody>
        <dl className="pairs">
          <Pair name="seats, all levels">{known(capacity.totalNominalSeats, formatCount)}</Pair>
          <Pair name={`${name}, nominal / now`}>
            {level === null ? <NotKnown /> : formatSeats(level.nominalSeats, level.currentLimitSeats)}
          </Pair>
          {level !== null && level.idleSeats !== null && (
            <Pair name={`${name}, idle`}>{formatCount(level.idleSeats)}</Pair>
          )}
          <Pair name="resident memory">{known(capacity.residentMemoryBytes, formatMemory)}</Pair>
          <Pair name="stored in etcd">{known(capacity.storageBytes, formatBytes)}</Pair>
          <Pair name="LIST cost model">{capacity.listCostModel ?? <NotKnown />}</Pair>
          <Pair name="WatchList">{capacity.watchListServer ?? <NotKnown />}</Pair>
        </dl>
      </PanelBody>
    </Panel>
  );
}

/** Changes of this cluster, newest first. */
export function RecentChanges({ response, className }: { response: OverviewResponse; className?: string }) {
  const { recentChanges, header } = response;
  return (
    <Panel
      title="Recent changes"
      className={className}
      meta={<Link href={clusterHref(header.clusterId, "history")}>Open history</Link>}
    >
      {recentChanges.length === 0 ? (
        <PanelBody>
          <p className="text-fg-2">Nothing changed since Headroom began to read this cluster.</p>
        </PanelBody>
      ) : (
        <table className="table compact border-t border-line">
          <caption className="sr-only">Recent changes</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {recentChanges.map((event) => (
              <tr key={event.id}>
                <td className="text-fg-3">
                  <Instant at={event.at} look="day-or-time" />
                </td>
                <td className="wrap w-full">
                  <SeverityMark kind={event.severity} isWordHidden isQuiet /> <b>{event.lead}</b> {event.text}
                  {event.isGenerated && <Generated />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

/** Marks what the demo fleet wrote as its past. */
export const Generated = () => (
  <span className="ml-2 rounded-1 border border-dashed border-control px-1 text-xs text-fg-3">generated</span>
);

export function Pair({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

export const NotKnown = () => <span className="text-fg-3">not known</span>;

const known = (value: number | null, format: (value: number) => string) =>
  value === null ? <NotKnown /> : format(value);

const ORDER: readonly SeverityValue[] = ["error", "warning", "unknown", "info", "ok"];

function worstOf(severities: readonly SeverityValue[]): SeverityValue {
  return ORDER.find((severity) => severities.includes(severity)) ?? "unknown";
}

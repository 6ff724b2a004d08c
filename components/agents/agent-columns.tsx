import type { Column } from "@/components/tables/column";
import { RowLink } from "@/components/ui/row-link";
import { VerdictMark } from "@/components/ui/verdict-mark";
import type { FleetAgentRow } from "@/lib/contracts/agent-pages";
import { VERDICT_ORDER } from "@/lib/domain/fan-out/fan-out-summary";
import { formatBytes } from "@/lib/format/bytes";
import { formatDuration } from "@/lib/format/duration";
import { formatCount, UNIT_SPACE } from "@/lib/format/number";
import { AGENT_KIND_WORDS } from "./agent-head";
import { agentHref } from "./agent-href";
import { Dim, EstimatedBytes, NotKnown, Sim, SimTag, TwoLines } from "./cells";
import { countsText, VerdictCounts } from "./verdict-counts";

const clustersOf = ({ verdicts }: FleetAgentRow): number =>
  VERDICT_ORDER.reduce((sum, verdict) => sum + verdicts[verdict], 0);

const versionsText = ({ versions }: FleetAgentRow): string =>
  versions.map(({ version, clusters }) => `${version ?? "not known"} on ${formatCount(clusters)}`).join(", ");

const drainText = ({ worst }: FleetAgentRow): string =>
  worst.undrained > 0 ? "never" : worst.drainSeconds === null ? "–" : formatDuration(worst.drainSeconds);

/** Copies where they are known; where no cluster knows them they are not known, not none. */
const copiesOf = (row: FleetAgentRow): number | null =>
  row.clustersWithoutCopies === clustersOf(row) ? null : row.copies;

const copiesText = (row: FleetAgentRow): string => {
  const copies = copiesOf(row);
  if (copies === null) return "not known";
  return `${row.clustersWithoutCopies > 0 ? `≥${UNIT_SPACE}` : ""}${formatCount(copies)}`;
};

/** Agents of the fleet in all their forms. */
export const FLEET_AGENT_COLUMNS: readonly Column<FleetAgentRow>[] = [
  {
    id: "agent",
    label: "Agent",
    sort: ({ title }) => title,
    cell: ({ agentId, title, kind }) => (
      <>
        <RowLink href={agentHref(agentId)} className="font-medium">
          {title}
        </RowLink>
        <span className="block text-s text-fg-3">{AGENT_KIND_WORDS[kind]}</span>
      </>
    ),
    text: ({ title, kind }) => `${title} (${AGENT_KIND_WORDS[kind]})`,
    csv: ({ title }) => title,
  },
  {
    id: "versions",
    label: "Versions",
    cellClass: "wrap text-s",
    sort: versionsText,
    cell: versionsText,
    text: versionsText,
    csv: versionsText,
  },
  {
    id: "clusters",
    label: "Clusters",
    isNumeric: true,
    sort: clustersOf,
    firstDirection: "descending",
    cell: (row) => formatCount(clustersOf(row)),
    text: (row) => formatCount(clustersOf(row)),
    csv: clustersOf,
  },
  {
    id: "copies",
    label: "Copies",
    isNumeric: true,
    sort: copiesOf,
    firstDirection: "descending",
    cell: (row) => (copiesOf(row) === null ? <NotKnown /> : copiesText(row)),
    text: copiesText,
    csv: copiesOf,
  },
  {
    id: "worst",
    label: "Worst on",
    sort: ({ worst }) => worst.clusterName,
    cell: ({ agentId, worst }) => (
      <RowLink href={agentHref(agentId, worst.clusterId)}>{worst.clusterName}</RowLink>
    ),
    text: ({ worst }) => worst.clusterName,
    csv: ({ worst }) => worst.clusterName,
  },
  {
    id: "bytes",
    label: "There, all copies, bytes",
    head: <TwoLines first="There, all" second="copies, bytes" />,
    isNumeric: true,
    sort: ({ worst }) => worst.bytes,
    firstDirection: "descending",
    cell: ({ worst }) => <EstimatedBytes bytes={worst.bytes} />,
    text: ({ worst }) => (worst.bytes === null ? "not known" : `≈${UNIT_SPACE}${formatBytes(worst.bytes)}`),
    csv: ({ worst }) => worst.bytes,
  },
  {
    id: "drains",
    label: "There, drains in (simulated)",
    head: (
      <TwoLines
        first="There,"
        second={
          <>
            drains in <SimTag />
          </>
        }
      />
    ),
    isNumeric: true,
    sort: ({ worst }) => (worst.undrained > 0 ? Number.MAX_VALUE : worst.drainSeconds),
    firstDirection: "descending",
    cell: (row) => (drainText(row) === "–" ? <Dim>–</Dim> : <Sim>{drainText(row)}</Sim>),
    text: drainText,
    csv: ({ worst }) => worst.drainSeconds,
  },
  {
    id: "verdict",
    label: "Worst verdict",
    sort: ({ worst }) => VERDICT_ORDER.length - VERDICT_ORDER.indexOf(worst.verdict),
    firstDirection: "descending",
    cell: ({ worst }) => <VerdictMark verdict={worst.verdict} />,
    text: ({ worst }) => worst.verdict,
    csv: ({ worst }) => worst.verdict,
  },
  {
    id: "counts",
    label: "On how many clusters",
    cell: ({ verdicts }) => <VerdictCounts counts={verdicts} />,
    text: ({ verdicts }) => countsText(verdicts),
    csv: ({ verdicts }) => countsText(verdicts),
  },
];

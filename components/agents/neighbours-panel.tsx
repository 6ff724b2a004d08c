import type { Column } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { Panel, type PanelState } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import type { StormNeighbour } from "@/lib/domain/storm/storm-result";
import type { DrawnStorm } from "@/lib/domain/what-if/drawn-storm";
import { formatDuration } from "@/lib/format/duration";
import { formatCount } from "@/lib/format/number";
import { Dim, Sim, SimTag, TwoLines } from "./cells";
import { formatWait } from "./storm-figures";

export const NEIGHBOURS_TITLE = "Who else waits, and how long";
/** More flows than this are counted. */
const ROWS = 12;

const ACCOUNT = /^system:serviceaccount:/;

const nameOf = ({ flowDistinguisher, flowSchemaName, isProbe }: StormNeighbour): string =>
  isProbe
    ? "probe of the simulation"
    : flowDistinguisher === ""
      ? `all of ${flowSchemaName}`
      : flowDistinguisher.replace(ACCOUNT, "").replace(":", "/");

const queuesText = ({ queuesShared, handSize, sharesLevel }: StormNeighbour): string =>
  !sharesLevel
    ? "another level"
    : queuesShared === null
      ? "–"
      : queuesShared === 0
        ? "none"
        : `${formatCount(queuesShared)} of ${formatCount(handSize ?? queuesShared)}`;

const waitText = (seconds: number | null): string => (seconds === null ? "–" : formatWait(seconds));

export const NEIGHBOUR_COLUMNS: readonly Column<StormNeighbour>[] = [
  {
    id: "flow",
    label: "Flow",
    cell: (row) => (
      <>
        <span className="font-medium">{nameOf(row)}</span>
        <span className="block text-s text-fg-3">{row.priorityLevelName}</span>
      </>
    ),
    text: (row) => `${nameOf(row)}, ${row.priorityLevelName}`,
  },
  {
    id: "queues",
    label: "Queues shared",
    head: <TwoLines first="Queues" second="shared" />,
    isNumeric: true,
    cell: (row) =>
      row.queuesShared !== null && row.queuesShared > 0 ? queuesText(row) : <Dim>{queuesText(row)}</Dim>,
    text: queuesText,
  },
  {
    id: "p50",
    label: "Wait p50 (simulated)",
    head: <TwoLines first="Wait p50" second={<SimTag />} />,
    isNumeric: true,
    cell: ({ waitSecondsP50 }) =>
      waitSecondsP50 === null ? <Dim>–</Dim> : <Sim>{waitText(waitSecondsP50)}</Sim>,
    text: ({ waitSecondsP50 }) => waitText(waitSecondsP50),
  },
  {
    id: "p99",
    label: "Wait p99 (simulated)",
    head: <TwoLines first="p99" second={<SimTag />} />,
    isNumeric: true,
    cell: ({ waitSecondsP99 }) =>
      waitSecondsP99 === null ? <Dim>–</Dim> : <Sim>{waitText(waitSecondsP99)}</Sim>,
    text: ({ waitSecondsP99 }) => waitText(waitSecondsP99),
  },
  {
    id: "rejected",
    label: "Rejected (simulated)",
    head: <TwoLines first="Rejected" second={<SimTag />} />,
    isNumeric: true,
    cell: ({ rejectedAll }) => <Sim>{formatCount(rejectedAll)}</Sim>,
    text: ({ rejectedAll }) => formatCount(rejectedAll),
  },
  {
    id: "requests",
    label: "Requests (simulated)",
    head: <TwoLines first="Requests" second={<SimTag />} />,
    isNumeric: true,
    cell: ({ requests }) => <Sim>{formatCount(requests)}</Sim>,
    text: ({ requests }) => formatCount(requests),
  },
];

/** Neighbours as the table shows them: those of the agent's level first, its own flow left out. */
export const shownNeighbours = ({ neighbours }: DrawnStorm): readonly StormNeighbour[] =>
  neighbours.filter(({ isOwnFlow }) => !isOwnFlow);

/** Flows of others that wait while the storm lasts. */
export function NeighboursPanel({ storm, state }: { storm: DrawnStorm | null; state: PanelState }) {
  const all = storm === null ? [] : shownNeighbours(storm);
  const rows = all.slice(0, ROWS);
  const lasts = storm?.drain.seconds ?? storm?.drain.simulatedSeconds ?? null;
  return (
    <Panel
      title={NEIGHBOURS_TITLE}
      state={state}
      meta={lasts === null ? null : `all servers, during ${formatDuration(lasts)}`}
      foot={
        <>
          {all.length > rows.length && `${rows.length} of ${formatCount(all.length)} flows. `}
          Sharing no queue does not help: when the LIST at the head does not fit, nothing of the level is
          dispatched.
        </>
      }
    >
      {storm !== null && all.length === 0 ? (
        <EmptyState lead="No steady load of others was measured">
          Who else would wait is not known; the simulation takes the API servers to be idle but for the storm.
        </EmptyState>
      ) : (
        <DataTable
          caption={NEIGHBOURS_TITLE}
          columns={NEIGHBOUR_COLUMNS}
          rows={rows}
          rowKey={(row) =>
            `${row.priorityLevelName}|${row.flowSchemaName}|${row.flowDistinguisher}|${row.isProbe}`
          }
          isCompact
        />
      )}
    </Panel>
  );
}

import { useMemo } from "react";
import { type Column, csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Panel, type PanelState } from "@/components/ui/panel";
import { VerdictMark } from "@/components/ui/verdict-mark";
import { formatBytes } from "@/lib/format/bytes";
import { formatCount, formatSignificant, UNIT_SPACE } from "@/lib/format/number";
import { Dim, EstimatedBytes, Sim, SimTag, TwoLines } from "./cells";
import { VERDICT_RULE } from "./clusters-panel";
import { formatDrain, formatWait } from "./storm-figures";
import type { RemedyRow } from "./use-agent-storm";

export const REMEDIES_TITLE = "Remedies compared";

type Outcome = RemedyRow["startAll"];

/** A side that was simulated; `null` otherwise. */
const sideOf = (outcome: Outcome) =>
  outcome === undefined || outcome === null || "barred" in outcome ? null : outcome;

function outcomeText(outcome: Outcome): string {
  if (outcome === undefined) return "…";
  if (outcome === null) return "not possible";
  return "barred" in outcome ? "no change" : outcome.verdict.verdict;
}

function OutcomeCell({ outcome }: { outcome: Outcome }) {
  if (outcome === undefined) {
    return (
      <Dim>
        <span aria-hidden="true">…</span>
        <span className="sr-only">not simulated yet</span>
      </Dim>
    );
  }
  const side = sideOf(outcome);
  if (side === null) {
    return (
      <span
        className="text-fg-3"
        title={outcome !== null && "barred" in outcome ? outcome.barred : undefined}
      >
        {outcomeText(outcome)}
      </span>
    );
  }
  return (
    <>
      <VerdictMark verdict={side.verdict.verdict} title={side.verdict.reasons[0]?.text} />
      {side.verdict.verdict === "inconclusive" && <Dim> {side.verdict.simulated}</Dim>}
    </>
  );
}

function remedyColumns(copies: number): readonly Column<RemedyRow>[] {
  const simulated = (
    id: string,
    label: string,
    head: string,
    read: (side: NonNullable<ReturnType<typeof sideOf>>) => string | null,
  ): Column<RemedyRow> => {
    const text = (row: RemedyRow) => {
      const side = sideOf(row.startAll);
      return side === null ? (row.startAll === undefined ? "…" : "–") : (read(side) ?? "–");
    };
    return {
      id,
      label: `${label} (simulated)`,
      head: <TwoLines first={head} second={<SimTag />} />,
      isNumeric: true,
      cell: (row) => (sideOf(row.startAll) === null ? <Dim>{text(row)}</Dim> : <Sim>{text(row)}</Sim>),
      text,
      csv: text,
    };
  };
  return [
    {
      id: "remedy",
      label: "Remedy",
      cellClass: "wrap min-w-[250px]",
      cell: ({ title, costs }) => (
        <>
          <span className="font-medium">{title}</span>
          {costs !== "" && <span className="block text-s text-fg-3">{costs}</span>}
        </>
      ),
      text: ({ title, costs }) => (costs === "" ? title : `${title}. ${costs}`),
      csv: ({ title }) => title,
    },
    {
      id: "startBytes",
      label: "Per start, on the wire",
      head: <TwoLines first="Per start," second="on the wire" />,
      isNumeric: true,
      cell: ({ start }) => <EstimatedBytes bytes={start.bytes} />,
      text: ({ start }) => `≈${UNIT_SPACE}${formatBytes(start.bytes)}`,
      csv: ({ start }) => start.bytes,
    },
    {
      id: "startSeats",
      label: "Per start, seats",
      head: <TwoLines first="Per start," second="seats" />,
      isNumeric: true,
      cell: ({ start }) => seatsText(start.seats),
      text: ({ start }) => seatsText(start.seats),
      csv: ({ start }) => start.seats,
    },
    {
      id: "bytes",
      label: `× ${formatCount(copies)}, on the wire`,
      head: <TwoLines first={`× ${formatCount(copies)},`} second="on the wire" />,
      isNumeric: true,
      cell: ({ start }) => <EstimatedBytes bytes={copies * start.bytes} />,
      text: ({ start }) => `≈${UNIT_SPACE}${formatBytes(copies * start.bytes)}`,
      csv: ({ start }) => copies * start.bytes,
    },
    simulated("drains", "Drains in", "Drains in", ({ outcome, drainSeconds }) =>
      formatDrain(outcome, drainSeconds),
    ),
    simulated("rejected", "Rejected", "Rejected", ({ rejected }) => formatCount(rejected)),
    simulated("neighbours", "Neighbours wait p99", "Neighbours p99", ({ neighbourWaitSeconds }) =>
      neighbourWaitSeconds === null ? null : formatWait(neighbourWaitSeconds),
    ),
    {
      id: "startAll",
      label: "Start-all",
      cell: ({ startAll }) => <OutcomeCell outcome={startAll} />,
      text: ({ startAll }) => outcomeText(startAll),
      csv: ({ startAll }) => outcomeText(startAll),
    },
    {
      id: "update",
      label: "Healthy update, 10 %",
      cell: ({ update }) => <OutcomeCell outcome={update} />,
      text: ({ update }) => outcomeText(update),
      csv: ({ update }) => outcomeText(update),
    },
  ];
}

/** The columns of the table, with what is saved beside the bytes. */
export function remedyTableColumns(copies: number, asItIsBytes: number): readonly Column<RemedyRow>[] {
  const columns = remedyColumns(copies);
  const at = columns.findIndex(({ id }) => id === "bytes") + 1;
  return [...columns.slice(0, at), savedColumn(asItIsBytes), ...columns.slice(at)];
}

/** Whole seats; of a reader that many copies share the part of one. */
const seatsText = (seats: number): string => (seats < 1 ? formatSignificant(seats, 2) : formatCount(seats));

/** Bytes that a remedy saves, of those as it is. */
const savedColumn = (asItIs: number): Column<RemedyRow> => {
  const text = ({ id, start }: RemedyRow) =>
    id === "" || asItIs === 0
      ? "–"
      : `${formatSignificant((100 * (asItIs - start.bytes)) / asItIs)}${UNIT_SPACE}%`;
  return {
    id: "saved",
    label: "Bytes saved",
    head: <TwoLines first="Bytes" second="saved" />,
    isNumeric: true,
    cell: (row) => (text(row) === "–" ? <Dim>–</Dim> : text(row)),
    text,
    csv: ({ start }) => asItIs - start.bytes,
  };
};

/** What each remedy by itself saves, costs, and makes of the verdict, in start-all and in a healthy update. */
export function RemediesPanel(props: {
  rows: readonly RemedyRow[];
  copies: number;
  clusterName: string;
  state: PanelState;
}) {
  const { rows, copies, clusterName, state } = props;
  const asItIs = rows[0]?.start.bytes ?? 0;
  const columns = useMemo(() => remedyTableColumns(copies, asItIs), [copies, asItIs]);
  const left = rows.filter(({ startAll, update }) => startAll === undefined || update === undefined).length;
  return (
    <Panel
      title={REMEDIES_TITLE}
      state={state}
      meta={
        <>
          <span>
            {clusterName}, each by itself, one seed, after compression
            {left > 0 && `; ${formatCount(left)} not simulated yet`}
          </span>
          <DownloadCsv
            fileName={`headroom-${clusterName}-remedies`}
            columns={csvColumnsOf(columns)}
            rows={rows}
          />
        </>
      }
      foot={`Drains, rejections and waits are those of start-all. ${VERDICT_RULE}`}
    >
      <DataTable caption={REMEDIES_TITLE} columns={columns} rows={rows} rowKey={({ id }) => id} />
    </Panel>
  );
}

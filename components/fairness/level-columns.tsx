import { SeatBar } from "@/components/charts/seat-bar";
import type { Column } from "@/components/tables/column";
import { SeverityMark } from "@/components/ui/severity";
import type { FairnessLevelRow } from "@/lib/contracts/cluster";
import { formatDuration, formatDurationAtLeast, windowQuantity } from "@/lib/format/duration";
import { formatCount, joinQuantity } from "@/lib/format/number";

type Rejected = keyof Omit<FairnessLevelRow["rejected"], "windowSeconds">;

/** Levels of one API server. `scale` is the end of all bars, in seats. */
export function levelColumns(scale: number, windowSeconds: number): readonly Column<FairnessLevelRow>[] {
  const window = windowSeconds > 0 ? joinQuantity(windowQuantity(windowSeconds)) : "no window yet";
  return [
    {
      id: "level",
      label: "Priority level",
      cell: (row) => (
        <>
          <SeverityMark kind={row.severity} isWordHidden isQuiet />{" "}
          <span className="font-medium">{row.priorityLevelName}</span>
        </>
      ),
      text: (row) => row.priorityLevelName,
      csv: (row) => row.priorityLevelName,
    },
    seats("nominal", "Nominal", (row) => row.nominalSeats),
    seats("min", "Min", (row) => row.minSeats),
    { ...seats("max", "Max", (row) => row.maxSeats), cellClass: "text-fg-3" },
    {
      ...seats("limit", "Current limit", (row) => row.currentLimitSeats),
      head: (
        <>
          Current
          <br />
          limit
        </>
      ),
      cell: (row) => (isExempt(row) ? "no limit" : <b>{seatsText(row.currentLimitSeats, row)}</b>),
      text: (row) => (isExempt(row) ? "no limit" : seatsText(row.currentLimitSeats, row)),
    },
    {
      id: "bar",
      label: "In use against current limit",
      cell: (row) =>
        isExempt(row) ? (
          <span className="text-fg-3">not limited</span>
        ) : row.executingSeats === null ? (
          <NotPublished />
        ) : (
          <SeatBar
            inUse={row.executingSeats}
            limit={row.currentLimitSeats}
            scale={scale}
            isRejecting={row.severity === "error"}
          />
        ),
    },
    amount("inUse", "In use", (row) => row.executingSeats),
    {
      ...amount("waiting", "Waiting", (row) => row.waitingRequests),
      cell: (row) =>
        row.waitingRequests === null ? (
          row.limitResponse === "Queue" ? (
            <NotPublished />
          ) : (
            "–"
          )
        ) : (
          <span
            className={
              row.severity === "error" && row.waitingRequests > 0 ? "font-medium text-error" : undefined
            }
          >
            {formatCount(row.waitingRequests)}
          </span>
        ),
    },
    rejected("queueFull", "queue-full", window),
    rejected("timeOut", "time-out", window),
    rejected("concurrencyLimit", "concurrency-limit", window),
    {
      id: "wait",
      label: "Wait p99",
      isNumeric: true,
      cell: (row) => {
        const isAtLeast = row.waitP99?.isAtLeast === true;
        return <span className={isAtLeast ? "font-medium text-error" : undefined}>{waitText(row)}</span>;
      },
      text: waitText,
      csv: (row) => row.waitP99?.seconds ?? null,
    },
  ];
}

const isExempt = (row: FairnessLevelRow) => row.type === "Exempt";

/** `–` where a figure does not apply to the kind of level; `not published` where it does and this server gives none. */
function seatsText(seats: number | null, row: FairnessLevelRow): string {
  if (seats !== null) return formatCount(seats);
  return isExempt(row) ? "–" : "not published";
}

/** `–` where no request was dispatched in the window, or the level does not queue. */
export function waitText({ waitP99 }: FairnessLevelRow): string {
  if (waitP99 === null) return "–";
  return waitP99.isAtLeast ? formatDurationAtLeast(waitP99.seconds) : formatDuration(waitP99.seconds);
}

/** The server was read and publishes no such figure: its version has none, or the level was never used since its start. */
const NotPublished = () => <span className="text-fg-3">not published</span>;

function seats(
  id: string,
  label: string,
  read: (row: FairnessLevelRow) => number | null,
): Column<FairnessLevelRow> {
  return {
    id,
    label,
    isNumeric: true,
    cell: (row) => {
      const text = seatsText(read(row), row);
      return text === "not published" ? <NotPublished /> : text;
    },
    text: (row) => seatsText(read(row), row),
    csv: read,
  };
}

function amount(
  id: string,
  label: string,
  read: (row: FairnessLevelRow) => number | null,
): Column<FairnessLevelRow> {
  return {
    id,
    label,
    isNumeric: true,
    cell: (row) => {
      const value = read(row);
      return value === null ? <NotPublished /> : formatCount(value);
    },
    text: (row) => {
      const value = read(row);
      return value === null ? "not published" : formatCount(value);
    },
    csv: read,
  };
}

function rejected(reason: Rejected, word: string, window: string): Column<FairnessLevelRow> {
  const read = (row: FairnessLevelRow) => row.rejected[reason];
  return {
    id: reason,
    label: `${word}, ${window}`,
    head: (
      <>
        {word}
        <br />
        {window}
      </>
    ),
    isNumeric: true,
    cell: (row) => {
      const count = read(row);
      if (count === null) return "–";
      return <span className={count > 0 ? "font-medium text-error" : undefined}>{formatCount(count)}</span>;
    },
    text: (row) => {
      const count = read(row);
      return count === null ? "–" : formatCount(count);
    },
    csv: read,
  };
}

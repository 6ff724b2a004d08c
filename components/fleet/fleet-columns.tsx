import { Sparkline } from "@/components/charts/sparkline";
import type { Column } from "@/components/tables/column";
import { Age } from "@/components/time/instant";
import { RowLink } from "@/components/ui/row-link";
import { SeverityMark } from "@/components/ui/severity";
import type { FleetRow } from "@/lib/contracts/fleet";
import { formatAge } from "@/lib/format/duration";
import { formatCount, formatFixed, formatSeats } from "@/lib/format/number";
import { displayVersion, STATE_RANK } from "./prepare-fleet-rows";

const clusterHref = (clusterId: string) => `/clusters/${encodeURIComponent(clusterId)}`;

/** Ratio of the busiest level, for sorting; `null` where it is not known. */
const busiestRatio = ({ busiest }: FleetRow) =>
  busiest === null || busiest.currentLimitSeats === 0
    ? null
    : busiest.executingSeats / busiest.currentLimitSeats;

/** The fleet table in all its forms. `now` (milliseconds) ends the sparkline's axis and ages in text. */
export function fleetColumns(now: number): readonly Column<FleetRow>[] {
  return [
    {
      id: "state",
      width: "34px",
      label: "State",
      isHeadHidden: true,
      narrow: "hidden",
      cellClass: "w-[26px] pr-0!",
      cell: (row) => <SeverityMark kind={row.state} isWordHidden isQuiet />,
      text: (row) => row.state,
      csv: (row) => row.state,
    },
    {
      id: "cluster",
      width: "19%",
      label: "Cluster",
      narrow: "full",
      cellClass: "max-w-[40ch] truncate",
      sort: (row) => row.name,
      cell: (row) => (
        <>
          <span className="sm:hidden">
            <SeverityMark kind={row.state} isWordHidden isQuiet />{" "}
          </span>
          <RowLink href={clusterHref(row.clusterId)} title={row.name} className="font-medium">
            {row.name}
          </RowLink>
          {row.role !== null && <span className="ml-2 text-s text-fg-3">{row.role}</span>}
        </>
      ),
      text: (row) => row.name,
      csv: (row) => row.name,
    },
    {
      id: "reason",
      label: "Worst reason",
      narrow: "full",
      cellClass: "wrap sm:w-[34%] sm:min-w-[260px]",
      sort: (row) => STATE_RANK[row.state],
      firstDirection: "descending",
      cell: (row) => (
        <span title={row.worstReason} className="line-clamp-2">
          {row.worstReason}
        </span>
      ),
      text: (row) => row.worstReason,
      csv: (row) => row.worstReason,
    },
    risk("fan-out", "Fan-out", (row) => row.fanOut),
    risk("fairness", "Fairness", (row) => row.fairness),
    {
      id: "nodes",
      width: "86px",
      label: "Nodes",
      isNumeric: true,
      sort: (row) => row.nodes,
      firstDirection: "descending",
      cell: (row) => (row.nodes === null ? <NotKnown /> : formatCount(row.nodes)),
      text: (row) => (row.nodes === null ? "not known" : formatCount(row.nodes)),
      csv: (row) => row.nodes,
    },
    {
      id: "version",
      width: "86px",
      label: "Version",
      narrow: "hidden",
      sort: (row) => row.version,
      firstDirection: "descending",
      cell: (row) => (row.version === null ? <NotKnown /> : displayVersion(row.version)),
      text: (row) => (row.version === null ? "not known" : displayVersion(row.version)),
      csv: (row) => row.version,
    },
    {
      id: "busiest",
      width: "112px",
      label: "Busiest level, 24 h",
      head: (
        <>
          Busiest level,
          <br />
          24 h
        </>
      ),
      narrow: "hidden",
      cell: (row) => <Sparkline line={row.sparkline} now={now} />,
    },
    {
      id: "seats",
      width: "112px",
      label: "Seats now",
      narrow: "hidden",
      isNumeric: true,
      sort: busiestRatio,
      firstDirection: "descending",
      cell: (row) => <SeatsCell row={row} />,
      text: (row) => (row.busiest === null ? "not known" : seatsText(row)),
      csv: (row) => (row.busiest === null ? null : seatsText(row)),
    },
    {
      id: "age",
      width: "112px",
      label: "Data age",
      isNumeric: true,
      sort: (row) => (row.dataAt === null ? null : -row.dataAt),
      firstDirection: "descending",
      cell: (row) =>
        row.dataAt === null ? (
          <span className="text-unknown">never read</span>
        ) : (
          <Age at={row.dataAt} className={row.isStale ? "text-unknown" : ""} />
        ),
      text: (row) =>
        row.dataAt === null ? "never read" : `${formatAge(row.dataAt, now)}${row.isStale ? " (stale)" : ""}`,
      csv: (row) => (row.dataAt === null ? null : new Date(row.dataAt).toISOString()),
    },
    {
      id: "cost",
      width: "120px",
      label: "Own cost per minute, requests · MB",
      head: (
        <>
          Own cost/min
          <br />
          requests · MB
        </>
      ),
      narrow: "hidden",
      isNumeric: true,
      sort: (row) => row.ownCost?.wireBytesPerMinute ?? null,
      firstDirection: "descending",
      cell: (row) => (row.ownCost === null ? <NotKnown /> : <OwnCost cost={row.ownCost} />),
      text: (row) => (row.ownCost === null ? "not known" : costText(row.ownCost)),
      csv: (row) => (row.ownCost === null ? null : costText(row.ownCost)),
    },
  ];
}

type Cost = NonNullable<FleetRow["ownCost"]>;

/** Requests and megabytes per minute, one decimal below ten requests. */
export function OwnCost({ cost }: { cost: Cost }) {
  return (
    <>
      {formatFixed(cost.requestsPerMinute, cost.requestsPerMinute < 10 ? 1 : 0)}{" "}
      <span className="text-fg-3">·</span> {formatFixed(cost.wireBytesPerMinute / 1e6, 1)}
    </>
  );
}

const costText = (cost: Cost) =>
  `${formatFixed(cost.requestsPerMinute, 1)} requests, ${formatFixed(cost.wireBytesPerMinute / 1e6, 1)} MB`;

const seatsText = ({ busiest }: FleetRow) =>
  busiest === null
    ? ""
    : `${formatSeats(busiest.executingSeats, busiest.currentLimitSeats)} (${busiest.priorityLevelName}, ${busiest.serverName})`;

const NotKnown = () => <span className="text-fg-3">not known</span>;

type Risk = FleetRow["fairness"];

/** One area of risk: shape and count, leading to its evidence. */
function risk(area: "fan-out" | "fairness", label: string, read: (row: FleetRow) => Risk): Column<FleetRow> {
  return {
    id: area,
    width: "86px",
    label,
    sort: (row) => STATE_RANK[read(row).severity] * 1000 + read(row).findings,
    firstDirection: "descending",
    cell: (row) => <RiskCell row={row} area={area} label={label} risk={read(row)} />,
    text: (row) => {
      const { severity, findings } = read(row);
      return `${severity}${findings > 0 ? ` ${findings}` : ""}`;
    },
    csv: (row) => read(row).severity,
  };
}

function RiskCell(props: { row: FleetRow; area: string; label: string; risk: Risk }) {
  const { row, area, label } = props;
  const { severity, findings } = props.risk;
  const count = severity === "unknown" ? "–" : findings > 0 ? formatCount(findings) : undefined;
  const mark = (
    <SeverityMark
      kind={severity}
      word={severity === "unknown" ? "not known" : severity}
      isWordHidden
      isQuiet
      {...(count === undefined ? {} : { count })}
    />
  );
  return (
    <RowLink
      href={`${clusterHref(row.clusterId)}/${area}`}
      aria-label={`${label} of ${row.name}: ${severity} ${findings}`}
    >
      {mark}
    </RowLink>
  );
}

function SeatsCell({ row }: { row: FleetRow }) {
  const { busiest } = row;
  if (busiest === null) return <NotKnown />;
  const isFull = busiest.currentLimitSeats > 0 && busiest.executingSeats / busiest.currentLimitSeats >= 0.95;
  return (
    <span title={`${busiest.priorityLevelName} on ${busiest.serverName}`}>
      <span className={isFull ? "font-medium text-fg" : undefined}>
        {formatCount(busiest.executingSeats)}
      </span>
      <span className="text-fg-3"> / {formatCount(busiest.currentLimitSeats)}</span>
    </span>
  );
}

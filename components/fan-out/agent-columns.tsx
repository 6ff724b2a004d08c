import type { ReactNode } from "react";
import { agentHref } from "@/components/agents/agent-href";
import type { Column } from "@/components/tables/column";
import { EvidenceChip } from "@/components/ui/evidence-chip";
import { RowLink } from "@/components/ui/row-link";
import { VerdictMark } from "@/components/ui/verdict-mark";
import type { AmountValue, FanOutAgent } from "@/lib/contracts/fan-out";
import { VERDICT_ORDER } from "@/lib/domain/fan-out/fan-out-summary";
import { formatDuration } from "@/lib/format/duration";
import { formatCount, type Quantity } from "@/lib/format/number";
import { bytesAmount, bytesText, seatsAmount } from "./amount-text";
import { prepareInformers } from "./prepare-informers";

/** The agents table of one cluster in all its forms. */
export const agentColumns = (clusterId: string): readonly Column<FanOutAgent>[] => [
  {
    id: "agent",
    label: "Agent",
    sort: ({ title }) => title,
    cell: (row) => (
      <>
        <RowLink href={agentHref(row.agent.id, clusterId)} className="font-medium">
          {row.title}
        </RowLink>
        <Second>{versionText(row)}</Second>
      </>
    ),
    text: (row) => `${row.title} (${versionText(row)})`,
    csv: (row) => row.title,
  },
  {
    id: "replicas",
    label: "Replicas",
    isNumeric: true,
    sort: ({ copies }) => copies,
    firstDirection: "descending",
    cell: ({ copies }) => (copies === null ? <NotKnown /> : formatCount(copies)),
    text: ({ copies }) => (copies === null ? "not known" : formatCount(copies)),
    csv: ({ copies }) => copies,
  },
  {
    id: "level",
    label: "Priority level",
    cellClass: "wrap min-w-[112px]! max-w-[150px]",
    sort: ({ levels }) => levels[0]?.priorityLevelName ?? null,
    cell: (row) => {
      const [level] = row.levels;
      if (level === undefined) return <Dim>–</Dim>;
      return (
        <>
          {level.priorityLevelName}
          <Second>{flowText(row)}</Second>
        </>
      );
    },
    text: (row) => {
      const [level] = row.levels;
      return level === undefined ? "–" : `${level.priorityLevelName}, ${flowText(row)}`;
    },
    csv: ({ levels }) => levels.map(({ priorityLevelName }) => priorityLevelName).join(" "),
  },
  {
    id: "informers",
    label: "Informers at start, evidence",
    cellClass: "wrap min-w-[210px]! text-s leading-[1.6]!",
    cell: (row) => <Informers row={row} />,
    text: informersText,
    csv: informersText,
  },
  {
    id: "startBytes",
    label: "Per start, bytes",
    head: <TwoLines first="Per start," second="bytes" />,
    isNumeric: true,
    sort: ({ agent, perStart }) => (agent.isKnown ? perStart.bytes.value : null),
    firstDirection: "descending",
    cell: (row) =>
      row.agent.isKnown ? <Bytes {...bytesAmount(boundOf(row, row.perStart.bytes))} /> : <NotKnown />,
    text: (row) => (row.agent.isKnown ? bytesText(boundOf(row, row.perStart.bytes)) : "not known"),
    csv: ({ agent, perStart }) => (agent.isKnown ? perStart.bytes.value : null),
  },
  {
    id: "startSeats",
    label: "Per start, seats",
    head: <TwoLines first="Per start," second="seats" />,
    isNumeric: true,
    sort: ({ agent, perStart }) => (agent.isKnown ? perStart.seats.value : null),
    firstDirection: "descending",
    cell: (row) => (row.agent.isKnown ? seatsAmount(boundOf(row, row.perStart.seats)) : <NotKnown />),
    text: (row) => (row.agent.isKnown ? seatsAmount(boundOf(row, row.perStart.seats)) : "not known"),
    csv: ({ agent, perStart }) => (agent.isKnown ? perStart.seats.value : null),
  },
  {
    id: "bytes",
    label: "× replicas, bytes",
    head: <TwoLines first="× replicas," second="bytes" />,
    isNumeric: true,
    sort: (row) => totalOf(row)?.bytes.value ?? null,
    firstDirection: "descending",
    cell: (row) => {
      const total = totalOf(row);
      return total === null ? (
        <NotKnown />
      ) : (
        <b>
          <Bytes {...bytesAmount(boundOf(row, total.bytes))} />
        </b>
      );
    },
    text: (row) => {
      const total = totalOf(row);
      return total === null ? "not known" : bytesText(boundOf(row, total.bytes));
    },
    csv: (row) => totalOf(row)?.bytes.value ?? null,
  },
  {
    id: "seats",
    label: "× replicas, seats",
    head: <TwoLines first="× replicas," second="seats" />,
    isNumeric: true,
    sort: (row) => totalOf(row)?.seats.value ?? null,
    firstDirection: "descending",
    cell: (row) => {
      const total = totalOf(row);
      return total === null ? <NotKnown /> : <b>{seatsAmount(boundOf(row, total.seats))}</b>;
    },
    text: (row) => {
      const total = totalOf(row);
      return total === null ? "not known" : seatsAmount(boundOf(row, total.seats));
    },
    csv: (row) => totalOf(row)?.seats.value ?? null,
  },
  {
    id: "drains",
    label: "Drains in (simulated)",
    head: <Simulated>Drains in</Simulated>,
    isNumeric: true,
    sort: (row) => {
      const { projection } = row;
      if (projection === null || !isShown(row)) return null;
      return projection.undrained > 0 ? Number.MAX_VALUE : (projection.drainSeconds?.p50 ?? null);
    },
    firstDirection: "descending",
    cell: (row) => <DrainCell row={row} />,
    text: (row) => `${drainText(row)}${isFigure(row) ? " (simulated)" : ""}`,
    csv: ({ projection }) => projection?.drainSeconds?.p50 ?? null,
  },
  {
    id: "rejected",
    label: "Rejected (simulated)",
    head: <Simulated>Rejected</Simulated>,
    isNumeric: true,
    sort: (row) => (isShown(row) ? (row.projection?.rejected?.p50 ?? null) : null),
    firstDirection: "descending",
    cell: (row) => {
      const rejected = row.projection?.rejected ?? null;
      if (rejected === null || !isShown(row)) return <Dim>{drainText(row)}</Dim>;
      return (
        <span className="simulated" title={bandTitle(rejected, formatCount)}>
          {formatCount(rejected.p50)}
        </span>
      );
    },
    text: (row) => {
      const rejected = row.projection?.rejected ?? null;
      return rejected === null || !isShown(row) ? drainText(row) : `${formatCount(rejected.p50)} (simulated)`;
    },
    csv: ({ projection }) => projection?.rejected?.p50 ?? null,
  },
  {
    id: "verdict",
    label: "Verdict",
    sort: (row) => VERDICT_ORDER.length - VERDICT_ORDER.indexOf(row.projection?.verdict ?? "inconclusive"),
    firstDirection: "descending",
    cell: ({ projection }) =>
      projection === null ? (
        <Dim>not yet</Dim>
      ) : (
        <VerdictMark verdict={projection.verdict} title={projection.reasons[0]?.text} />
      ),
    text: ({ projection }) => projection?.verdict ?? "not simulated yet",
    csv: ({ projection }) => projection?.verdict ?? null,
  },
];

/** What RBAC allows is the most that is read. */
export const boundOf = ({ grade }: FanOutAgent, amount: AmountValue): AmountValue =>
  grade === "bounded" ? { ...amount, isUpperBound: true } : amount;

const totalOf = ({ agent, total }: FanOutAgent) => (agent.isKnown ? total : null);

const KINDS: Readonly<Record<FanOutAgent["agent"]["kind"], string>> = {
  DaemonSet: "DaemonSet",
  Deployment: "Deployment",
  StatefulSet: "StatefulSet",
  StaticPod: "static pod",
  "node-client": "node",
  client: "client",
};

const versionText = ({ agent }: FanOutAgent): string =>
  `${agent.version ?? "version not known"} · ${KINDS[agent.kind]}`;

function flowText({ levels }: FanOutAgent): string {
  const [level, ...others] = levels;
  const flow = level?.isOneFlow === false ? "a flow per node" : "one flow";
  return others.length === 0
    ? flow
    : `${flow}, also ${[...new Set(others.map(({ priorityLevelName }) => priorityLevelName))].join(", ")}`;
}

function Informers({ row }: { row: FanOutAgent }) {
  const { agent } = row;
  if (!agent.isKnown) return <span className="text-unknown">not known what it reads</span>;
  if (agent.informers.length === 0) return <Dim>reads nothing</Dim>;
  const { lines, more } = prepareInformers(agent.informers);
  return (
    <>
      {lines.map(({ text, names, evidence }) => (
        <span key={text} className="block" title={names.join(", ")}>
          {text} <EvidenceChip evidence={evidence} about={`${agent.name}, ${text}`} isInRow />
        </span>
      ))}
      {more > 0 && <Dim>and {formatCount(more)} more, below</Dim>}
    </>
  );
}

function informersText({ agent }: FanOutAgent): string {
  if (!agent.isKnown) return "not known";
  if (agent.informers.length === 0) return "reads nothing";
  const { lines, more } = prepareInformers(agent.informers);
  const shown = lines.map(({ text, evidence }) => `${text} (${evidence.grade})`).join("; ");
  return more > 0 ? `${shown}; and ${formatCount(more)} more` : shown;
}

/** Of what is bounded only, a simulation says nothing: it would be one of what might be read at most. */
const isShown = ({ projection, grade }: FanOutAgent) =>
  projection !== null && !(projection.verdict === "inconclusive" && grade === "bounded");

const isFigure = (row: FanOutAgent) =>
  isShown(row) && (row.projection?.drainSeconds !== null || (row.projection?.undrained ?? 0) > 0);

/** `165 s`, `never`, or why there is no figure. */
export function drainText(row: FanOutAgent): string {
  const { projection } = row;
  if (projection === null) return "not yet";
  if (!isShown(row)) return "not known";
  if (projection.undrained > 0) return "never";
  if (projection.drainSeconds !== null) return formatDuration(projection.drainSeconds.p50);
  return projection.verdict === "invisible" ? "–" : "not known";
}

function DrainCell({ row }: { row: FanOutAgent }) {
  const { projection } = row;
  const text = drainText(row);
  if (projection === null || !isFigure(row)) {
    return (
      <span className="text-fg-3" title={projection?.skipped ?? undefined}>
        {text}
      </span>
    );
  }
  if (projection.undrained > 0) {
    return (
      <span
        className="simulated font-medium text-error"
        title={`does not drain in ${formatCount(projection.undrained)} of ${formatCount(projection.seeds)} seeds`}
      >
        {text}
      </span>
    );
  }
  const band = projection.drainSeconds;
  return (
    <span className="simulated" title={band === null ? undefined : bandTitle(band, formatDuration)}>
      {text}
    </span>
  );
}

type Band = NonNullable<NonNullable<FanOutAgent["projection"]>["drainSeconds"]>;

/** `140 to 190 s, 5 seeds`. */
const bandTitle = ({ p5, p95, seeds }: Band, format: (value: number) => string): string =>
  `${format(p5)} to ${format(p95)} (p5 to p95), ${formatCount(seeds)} seeds`;

const Bytes = ({ figure, unit }: Quantity) => (
  <>
    {figure} <span className="unit">{unit}</span>
  </>
);
const NotKnown = () => <span className="text-fg-3">not known</span>;
const Dim = ({ children }: { children: ReactNode }) => <span className="text-fg-3">{children}</span>;
const Second = ({ children }: { children: ReactNode }) => (
  <span className="block text-s text-fg-3">{children}</span>
);

function TwoLines({ first, second }: { first: string; second: string }) {
  return (
    <span>
      {first}
      <br />
      {second}
    </span>
  );
}

function Simulated({ children }: { children: ReactNode }) {
  return (
    <span>
      {children}
      <br />
      <span className="rounded-1 border border-dashed border-control px-1 text-xs text-fg-3">sim</span>
    </span>
  );
}

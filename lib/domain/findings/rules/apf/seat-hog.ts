import { formatCount } from "../../../cost/format-figures.ts";
import { subjectOfUser } from "../../reads/client-subject.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding } from "../../rule.ts";
import type { RequestDumpLine, ScanFacts, ScannedDump } from "../../scan-facts.ts";
import { isExecuting, levelLimit, seatsOfRequest } from "./request-dump.ts";

/** One flow that has most of a level's seats. */
export const apfSeatHog: Rule = {
  name: "apf.seat-hog",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "One client holds most seats of a priority level",
  what: "Looks at dumps of the requests of API Priority and Fairness: reports a flow whose requests hold at least 60 % of the seats in use (before 1.28, when only waiting requests were listed, of the seats waited for) of a level, and at least 10 of them. An error while requests of other flows wait there or the level is full, else a warning.",
  why: "Fair queuing takes turns between flows but never takes a seat away: while wide requests run, everybody else of the level waits for them.",
  fix: "Narrow what this client asks for (a selector, a namespace, pages), or give it a FlowSchema and a priority level of its own, so that it waits for itself.",
  sources: [
    {
      text: "Kubernetes, flow control, debug endpoints",
      url: "https://kubernetes.io/docs/reference/debug-cluster/flow-control/",
    },
    {
      text: "kubernetes/apiserver pkg/util/flowcontrol/apf_controller_debug.go, v0.26 to v0.37",
      url: "https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/util/flowcontrol/apf_controller_debug.go",
    },
  ],
  check: {
    kind: "facts",
    evaluate: (facts) => ({ findings: facts.requestDumps.flatMap((dump) => judgeDump(dump, facts)) }),
  },
};

const SHARE = 0.6;
const SEATS_WORTH_A_WORD = 10;

interface Flow {
  readonly distinguisher: string;
  readonly flowSchemaName: string;
  seats: number;
  requests: number;
  /** Seats of its widest request. */
  widest: number;
  readonly users: Map<string, number>;
  readonly kinds: Map<string, number>;
}

function judgeDump({ file, rows }: ScannedDump<RequestDumpLine>, facts: ScanFacts): readonly RuleFinding[] {
  const hasExecuting = rows.some(isExecuting);
  return [...Map.groupBy(rows, ({ priorityLevelName }) => priorityLevelName)].flatMap(([level, ofLevel]) => {
    if (level === "exempt") return [];
    const counted = hasExecuting ? ofLevel.filter(isExecuting) : ofLevel;
    const flows = flowsOf(counted);
    const total = flows.reduce((sum, { seats }) => sum + seats, 0);
    const [worst] = flows;
    if (worst === undefined || worst.seats < SEATS_WORTH_A_WORD || worst.seats < SHARE * total) return [];
    const waiting = hasExecuting ? ofLevel.filter((row) => !isExecuting(row)) : [];
    const others = waiting.filter((row) => keyOf(row) !== keyOfFlow(worst)).length;
    const limit = levelLimit(level, facts);
    // What is left is too little for another request of its width.
    const isFull = limit !== null && limit - total < worst.widest;
    return [
      {
        subject: subjectOfFlow(worst),
        severity: others > 0 || isFull ? "error" : "warning",
        message: `${formatCount(worst.requests)} requests hold ${formatCount(worst.seats)} of ${formatCount(total)} seats ${hasExecuting ? "in use" : "waited for"} in ${level}${limit === null ? "" : ` (limit ${formatCount(limit)})`}, ${kindsOf(worst)}; ${formatCount(others)} requests of others wait.`,
        evidence: { grade: "measured", source: file, observedAt: null },
        figures: {
          priorityLevel: level,
          flowSchema: worst.flowSchemaName,
          seats: worst.seats,
          levelSeatsInUse: total,
          limitSeats: limit,
          seatsPercent: (100 * worst.seats) / total,
          requests: worst.requests,
          waitingOthers: others,
          waiting: waiting.length,
        },
        position: { file, line: null },
      },
    ];
  });
}

const keyOf = ({ flowSchemaName, flowDistinguisher }: RequestDumpLine) =>
  `${flowSchemaName}\u0000${flowDistinguisher}`;
const keyOfFlow = ({ flowSchemaName, distinguisher }: Flow) => `${flowSchemaName}\u0000${distinguisher}`;

/** Most seats first. */
function flowsOf(rows: readonly RequestDumpLine[]): readonly Flow[] {
  const flows = new Map<string, Flow>();
  for (const row of rows) {
    const key = keyOf(row);
    let flow = flows.get(key);
    if (flow === undefined) {
      flow = {
        distinguisher: row.flowDistinguisher,
        flowSchemaName: row.flowSchemaName,
        seats: 0,
        requests: 0,
        widest: 0,
        users: new Map(),
        kinds: new Map(),
      };
      flows.set(key, flow);
    }
    flow.seats += seatsOfRequest(row);
    flow.requests++;
    flow.widest = Math.max(flow.widest, seatsOfRequest(row));
    if (row.userName !== null)
      flow.users.set(row.userName, (flow.users.get(row.userName) ?? 0) + seatsOfRequest(row));
    const kind = `${row.verb ?? ""} ${row.resource ?? ""}`.trim();
    if (kind !== "") flow.kinds.set(kind, (flow.kinds.get(kind) ?? 0) + 1);
  }
  return [...flows.values()].sort((a, b) => b.seats - a.seats || (keyOfFlow(a) < keyOfFlow(b) ? -1 : 1));
}

/** By its user, who stands in the details, else in the distinguisher; a flow of many users is its FlowSchema's. */
function subjectOfFlow({ users, distinguisher, flowSchemaName, seats }: Flow): string {
  const [most] = [...users].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (most !== undefined && most[1] >= SHARE * seats) return subjectOfUser(most[0]);
  if (users.size === 0 && /[:@]/.test(distinguisher)) return subjectOfUser(distinguisher);
  return distinguisher === "" || users.size > 0
    ? `FlowSchema ${flowSchemaName}`
    : subjectOfUser(distinguisher);
}

function kindsOf({ kinds }: Flow): string {
  const most = [...kinds].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
  return most.length === 0
    ? "what they ask is not in the dump"
    : most.map(([kind, count]) => `${formatCount(count)} × ${kind}`).join(", ");
}

import { formatCount } from "../../../cost/format-figures.ts";
import type { SourcePosition } from "../../finding.ts";
import {
  ALL_VERSIONS,
  type Rule,
  type RuleAnswer,
  type RuleFinding,
  type StreamObserver,
} from "../../rule.ts";
import type { PriorityLevelDump, ScanFacts } from "../../scan-facts.ts";
import { compareNatural } from "../natural-order.ts";
import { flowConfigurationOf, nominalSeatsOf } from "./flow-configuration.ts";
import { LevelMetrics, WANTED_METRICS } from "./level-metrics.ts";

/** A priority level that serves nobody, or turns most away. */
export const apfStarvation: Rule = {
  name: "apf.starvation",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "A priority level serves nobody while requests keep coming",
  what: "Compares two dumps of the priority levels, or two metrics pages, of one API server: counters run since its start, so that only what grows between the two counts. An error where a level dispatches nothing while requests are rejected or wait, or rejects as many as it dispatches or more; a warning where it rejects fewer. Of one dump alone a level whose seats are all taken while requests wait is a warning.",
  why: "Whoever is classified there gets 429 or waits until its deadline, and retries: controllers stand still, and rejected requests of other clients come on top.",
  fix: "Find what holds the seats: dump_requests?includeRequestDetails=1 lists who executes. A watch or LIST behind a broken conversion webhook or aggregated API does not end by itself: repair or remove that first. Then give the clients a level of their own with queues.",
  sources: [
    {
      text: "kubernetes/kubernetes#109603: watches in initialization fill a level",
      url: "https://github.com/kubernetes/kubernetes/issues/109603",
    },
    {
      text: "Kubernetes, flow control, debug endpoints",
      url: "https://kubernetes.io/docs/reference/debug-cluster/flow-control/",
    },
  ],
  check: { kind: "stream", metrics: WANTED_METRICS, begin },
};

/** What one look at one level says. `null`: not said. */
export interface LevelLook {
  readonly waiting: number | null;
  readonly executing: number | null;
  readonly dispatched: number | null;
  readonly rejected: number | null;
  /** Seats that it may use now. */
  readonly limit: number | null;
}

function begin(facts: ScanFacts): StreamObserver {
  const metrics = new LevelMetrics();
  return {
    metricSample: (sample, source) => metrics.take(sample, source),
    finish: () => {
      const byDumps = compareAll(looksOfDumps(facts), facts.hand.secondsBetweenDumps, facts);
      const byMetrics = compareAll(metrics.looks, facts.hand.secondsBetweenDumps, facts);
      return {
        findings: [...byDumps.findings, ...byMetrics.findings],
        undecided: [...(byDumps.undecided ?? []), ...(byMetrics.undecided ?? [])],
      };
    },
  };
}

/** In the order in which they were taken. */
type Looks = readonly { readonly file: string; readonly levels: ReadonlyMap<string, LevelLook> }[];

function looksOfDumps({ priorityLevelDumps }: ScanFacts): Looks {
  return [...priorityLevelDumps]
    .sort((a, b) => compareNatural(a.file, b.file))
    .map(({ file, rows }) => ({
      file,
      levels: new Map(rows.map((row) => [row.priorityLevelName, lookOf(row)])),
    }));
}

const lookOf = (row: PriorityLevelDump): LevelLook => ({
  waiting: row.waitingRequests,
  executing: row.executingRequests,
  dispatched: row.dispatchedRequests,
  rejected: row.rejectedRequests,
  limit: null,
});

/** Each look with the next one; the worst of a level stands, since it is one finding. */
function compareAll(looks: Looks, seconds: number | null, facts: ScanFacts): RuleAnswer {
  const nominal = nominalSeatsOf(facts, flowConfigurationOf(facts));
  const [only] = looks;
  if (looks.length === 1 && only !== undefined) {
    return {
      findings: [...only.levels].flatMap(([name, look]) =>
        judgeOne(name, look, limitOf(name, look, nominal, facts), only.file),
      ),
    };
  }
  const answers = looks.slice(1).flatMap((later, at) => {
    const earlier = looks[at];
    if (earlier === undefined) return [];
    return [...later.levels].map(([name, look]) => {
      const before = earlier.levels.get(name);
      return before === undefined
        ? { findings: [] }
        : judgeGrowth({
            name,
            before,
            look,
            seconds,
            limit: limitOf(name, look, nominal, facts),
            file: later.file,
          });
    });
  });
  return {
    findings: answers.flatMap(({ findings }) => findings),
    undecided: answers.flatMap(({ undecided }) => undecided ?? []),
  };
}

/** As given by hand or by the page itself; what the configuration makes of it only where that was given. */
function limitOf(
  name: string,
  look: LevelLook,
  nominal: Readonly<Record<string, number>>,
  { hand, cluster }: ScanFacts,
): number | null {
  if (look.limit !== null) return look.limit;
  if (hand.seats[name] !== undefined) return hand.seats[name] ?? null;
  if (hand.nominalSeats[name] !== undefined) return hand.nominalSeats[name] ?? null;
  const isGiven = cluster.priorityLevels !== null || cluster.totalConcurrencySeats !== null;
  return isGiven ? (nominal[name] ?? null) : null;
}

const subjectOfLevel = (name: string) => `PriorityLevelConfiguration ${name}`;

interface Growth {
  readonly name: string;
  readonly before: LevelLook;
  readonly look: LevelLook;
  readonly seconds: number | null;
  readonly limit: number | null;
  readonly file: string;
}

function judgeGrowth({ name, before, look, seconds, limit, file }: Growth): RuleAnswer {
  const rejected = growthOf(before.rejected, look.rejected);
  const dispatched = growthOf(before.dispatched, look.dispatched);
  if ((rejected ?? 0) < 0 || (dispatched ?? 0) < 0) {
    return {
      findings: [],
      undecided: [
        {
          subject: subjectOfLevel(name),
          missing: `Its counters are lower in ${file} than before: another API server answered, or this one started again. Two dumps of one run would tell.`,
        },
      ],
    };
  }
  const isWaiting = (before.waiting ?? 0) > 0 && (look.waiting ?? 0) > 0;
  const isRejecting = (rejected ?? 0) > 0;
  const isStill = dispatched === 0 && (isRejecting || isWaiting);
  if (!isStill && !isRejecting) return { findings: [] };
  const isMost = dispatched !== null && (rejected ?? 0) >= dispatched;
  const figures = {
    rejectedDelta: rejected,
    dispatchedDelta: dispatched,
    rejectedPerSecond: seconds === null || rejected === null || seconds <= 0 ? null : rejected / seconds,
    dispatchedPerSecond:
      seconds === null || dispatched === null || seconds <= 0 ? null : dispatched / seconds,
    executing: look.executing,
    waiting: look.waiting,
    limitSeats: limit,
    windowSeconds: seconds,
  };
  return {
    findings: [
      {
        subject: subjectOfLevel(name),
        severity: isStill || isMost ? "error" : "warning",
        message: growthMessage({ look, seconds, limit, rejected, dispatched }),
        evidence: { grade: "measured", source: file, observedAt: null },
        figures,
        position: place(file),
      },
    ],
  };
}

function growthMessage({
  look,
  seconds,
  limit,
  rejected,
  dispatched,
}: Pick<Growth, "look" | "seconds" | "limit"> & {
  readonly rejected: number | null;
  readonly dispatched: number | null;
}): string {
  const within = seconds === null ? "between the two" : `in ${formatCount(seconds)} s`;
  const executing =
    look.executing === null
      ? ""
      : ` ${formatCount(look.executing)}${limit === null ? "" : ` of ${formatCount(limit)}`} execute, ${formatCount(look.waiting ?? 0)} wait.`;
  const what = [
    dispatched === null
      ? null
      : dispatched === 0
        ? "nothing was dispatched"
        : `${formatCount(dispatched)} requests were dispatched`,
    rejected === null || rejected === 0 ? null : `${formatCount(rejected)} rejected`,
  ].filter((each) => each !== null);
  return `${within.charAt(0).toUpperCase()}${within.slice(1)} ${what.join(" and ")}.${executing}`;
}

/** One look says nothing of old rejections: only that the level is full now. */
function judgeOne(name: string, look: LevelLook, limit: number | null, file: string): readonly RuleFinding[] {
  const { waiting, executing } = look;
  if (limit === null || executing === null || waiting === null || waiting === 0 || executing < limit)
    return [];
  return [
    {
      subject: subjectOfLevel(name),
      severity: "warning",
      message: `${formatCount(executing)} of ${formatCount(limit)} seats are taken and ${formatCount(waiting)} requests wait. A second dump would tell whether any is served.`,
      evidence: { grade: "measured", source: file, observedAt: null },
      figures: { executing, waiting, limitSeats: limit },
      position: place(file),
    },
  ];
}

const growthOf = (before: number | null, after: number | null) =>
  before === null || after === null ? null : after - before;

const place = (file: string): SourcePosition => ({ file, line: null });

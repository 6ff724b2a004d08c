import { RequestStages } from "../../../agents/audit/request-stages.ts";
import type { AuditEvent } from "../../../agents/audit-event.ts";
import { formatCount } from "../../../cost/format-figures.ts";
import { FlowClassifier } from "../../../fairness/matching/flow-classifier.ts";
import { parseVersion } from "../../../kubernetes/version.ts";
import { objectAt, textAt } from "../../json-value.ts";
import { subjectOfUser } from "../../reads/client-subject.ts";
import type { Rule, RuleFinding, ScannedMetricSample, StreamObserver } from "../../rule.ts";
import type { RequestDumpLine, ScanFacts, ScannedDump } from "../../scan-facts.ts";
import { flowConfigurationOf, nominalSeatsOf } from "./flow-configuration.ts";
import { requestInfoOf } from "./misclassified.ts";
import { isExecuting, levelLimit, seatsOfRequest } from "./request-dump.ts";

/** Source: apiserver pkg/util/flowcontrol/metrics and pkg/endpoints/metrics, v1.22. */
const IN_USE = "apiserver_flowcontrol_request_concurrency_in_use";
const LIMIT = "apiserver_flowcontrol_request_concurrency_limit";
const OPEN_REQUESTS = "apiserver_longrunning_requests";

/** Watches that keep their seats longer than their initial events take. */
export const apfWatchHoldsSeat: Rule = {
  name: "apf.watch-holds-seat",
  severity: "error",
  // Watches came under API Priority and Fairness in 1.22.
  versions: { from: 22, until: null },
  title: "Watches hold seats of a priority level",
  what: "A watch gives its seats back when its initial events are handed over. Reports WATCHes that a dump of requests (1.28 and later) shows executing for over 30 s, an error where they hold half of a known limit or others wait, and, for 1.22.0 to 1.22.3, WATCHes of aggregated APIs in an audit log or a metrics page, which hold a seat to their end there.",
  why: "Seats are gone until the watch ends, minutes later or never: a level fills with watches that do nothing, and LISTs and writes of the same level wait or are rejected.",
  fix: "Look at what the initial events wait for: a conversion webhook that does not answer, an aggregated API server that sends nothing, a client that does not read. Of 1.22 take 1.22.4 or later, or classify WATCHes of aggregated APIs to a level of their own.",
  sources: [
    {
      text: "kubernetes/kubernetes#105409: watches served by aggregated API servers occupy a seat for their whole duration (fixed by #105511 and, in 1.22, #105827)",
      url: "https://github.com/kubernetes/kubernetes/issues/105409",
    },
    {
      text: "kubernetes/kubernetes#109603: watches stuck in initialization",
      url: "https://github.com/kubernetes/kubernetes/issues/109603",
    },
  ],
  check: { kind: "stream", metrics: [IN_USE, LIMIT, OPEN_REQUESTS], begin },
};

/** Initial events of the largest collections take some seconds. */
const INITIALIZATION_MS = 30_000;
const LEVELS_KEPT = 1000;

interface Held {
  watches: number;
  readonly users: Set<string>;
}

function begin(facts: ScanFacts): StreamObserver {
  const groups = holdsAggregatedWatches(facts) ? aggregatedGroups(facts) : new Set<string>();
  const held = new Map<string, Held>();
  const metrics = new WatchMetrics();
  return {
    ...(groups.size === 0 ? {} : observeAggregated(held, metrics, groups, facts)),
    finish: () => ({
      findings: [
        ...facts.requestDumps.flatMap((dump) => judgeDump(dump, facts)),
        ...[...held].map(([level, each]) => describeAggregated(level, each, facts)),
        ...metrics.findings(groups),
      ],
    }),
  };
}

function observeAggregated(
  held: Map<string, Held>,
  metrics: WatchMetrics,
  groups: ReadonlySet<string>,
  facts: ScanFacts,
): Pick<StreamObserver, "auditEvent" | "metricSample"> {
  const classifier = new FlowClassifier(flowConfigurationOf(facts));
  const stages = new RequestStages();
  return {
    auditEvent: (event) => {
      if (event.verb === "watch" && stages.roleOf(event) === "counted")
        takeEvent(held, event, groups, classifier);
    },
    metricSample: (sample) => metrics.take(sample),
  };
}

function judgeDump({ file, rows }: ScannedDump<RequestDumpLine>, facts: ScanFacts): readonly RuleFinding[] {
  // When the dump was made it does not say: not before the latest instant in it.
  const now = rows.reduce((latest, row) => Math.max(latest, row.arrivedAt ?? 0, row.startedAt ?? 0), 0);
  const stuck = rows.filter(
    (row) =>
      isExecuting(row) &&
      row.verb === "watch" &&
      row.priorityLevelName !== "exempt" &&
      row.startedAt !== null &&
      now - row.startedAt > INITIALIZATION_MS,
  );
  return [...Map.groupBy(stuck, ({ priorityLevelName }) => priorityLevelName)].map(([level, watches]) => {
    const seats = watches.reduce((sum, row) => sum + seatsOfRequest(row), 0);
    const waiting = rows.filter((row) => row.priorityLevelName === level && !isExecuting(row)).length;
    const limit = levelLimit(level, facts);
    const longestSeconds = Math.max(...watches.map(({ startedAt }) => (now - (startedAt ?? now)) / 1000));
    const kinds = [
      ...new Set(watches.map(({ resource, apiVersion }) => `${resource ?? "?"} ${apiVersion ?? ""}`.trim())),
    ].sort();
    return {
      subject: `PriorityLevelConfiguration ${level}`,
      severity:
        waiting > 0 || (limit !== null && seats >= limit / 2) ? ("error" as const) : ("warning" as const),
      message: `${formatCount(watches.length)} WATCHes (${kinds.slice(0, 3).join(", ")}) hold ${formatCount(seats)} seats${limit === null ? "" : ` of ${formatCount(limit)}`} for ${formatCount(Math.round(longestSeconds))} s at the longest; ${formatCount(waiting)} requests wait.`,
      evidence: { grade: "measured" as const, source: file, observedAt: now === 0 ? null : now },
      figures: {
        watches: watches.length,
        seats,
        limitSeats: limit,
        longestSeconds,
        waiting,
        resources: kinds,
      },
      related: usersOf(watches),
      position: { file, line: null },
    };
  });
}

function usersOf(rows: readonly RequestDumpLine[]): readonly string[] {
  const users = new Set(rows.map(({ userName, flowDistinguisher }) => userName ?? flowDistinguisher));
  users.delete("");
  return [...users].sort().slice(0, 20).map(subjectOfUser);
}

/** Fixed in 1.23 and, by kubernetes#105827 of November 2021, in 1.22.4. */
function holdsAggregatedWatches({ cluster }: ScanFacts): boolean {
  const version = cluster.kubernetesVersion === null ? null : parseVersion(cluster.kubernetesVersion);
  return version !== null && version.major === 1 && version.minor === 22 && (version.patch ?? 99) < 4;
}

/** `GROUP` of APIServices that another server answers, from objects or from a list that was saved. */
function aggregatedGroups({ objects }: ScanFacts): Set<string> {
  return new Set(
    objects
      .ofKind("APIService")
      .filter(({ body }) => objectAt(body, "spec", "service") !== null)
      .map(({ body }) => textAt(body, "spec", "group") ?? ""),
  );
}

function takeEvent(
  held: Map<string, Held>,
  event: AuditEvent,
  groups: ReadonlySet<string>,
  classifier: FlowClassifier,
): void {
  if (event.objectRef === null || !groups.has(event.objectRef.apiGroup)) return;
  if ((event.responseCode ?? 200) >= 400) return;
  const { priorityLevel } = classifier.classify({
    user: { name: event.userName, groups: event.userGroups },
    requestInfo: requestInfoOf(event),
  });
  if (priorityLevel.type === "Exempt") return;
  let found = held.get(priorityLevel.name);
  if (found === undefined) {
    if (held.size >= LEVELS_KEPT) return;
    found = { watches: 0, users: new Set() };
    held.set(priorityLevel.name, found);
  }
  found.watches++;
  if (found.users.size < LEVELS_KEPT) found.users.add(event.userName);
}

function describeAggregated(level: string, { watches, users }: Held, facts: ScanFacts): RuleFinding {
  const limit = nominalSeatsOf(facts, flowConfigurationOf(facts))[level] ?? null;
  return {
    subject: `PriorityLevelConfiguration ${level}`,
    severity: limit !== null && watches >= limit / 2 ? "error" : "warning",
    message: `${formatCount(watches)} WATCHes of aggregated APIs hold a seat each until they end on ${facts.cluster.kubernetesVersion ?? "this version"}${limit === null ? "" : `; the level has ${formatCount(limit)}`}.`,
    evidence: { grade: "measured", source: "audit log", observedAt: null },
    figures: { watches, seats: watches, limitSeats: limit },
    related: [...users].sort().slice(0, 20).map(subjectOfUser),
  };
}

/** Seats in use by level beside the WATCHes that are open, from a metrics page. */
class WatchMetrics {
  readonly #inUse = new Map<string, number>();
  readonly #limits = new Map<string, number>();
  readonly #watches = new Map<string, number>();

  take({ name, labels, value }: ScannedMetricSample): void {
    if (!Number.isFinite(value)) return;
    const level = labels.priority_level;
    if (name === OPEN_REQUESTS) {
      if (labels.verb === "WATCH") add(this.#watches, labels.group ?? "", value);
    } else if (level !== undefined) add(name === LIMIT ? this.#limits : this.#inUse, level, value);
  }

  findings(groups: ReadonlySet<string>): readonly RuleFinding[] {
    const watches = [...groups].reduce((sum, group) => sum + (this.#watches.get(group) ?? 0), 0);
    return [...this.#inUse].flatMap(([level, seats]): readonly RuleFinding[] => {
      const limit = this.#limits.get(level) ?? null;
      if (limit === null || seats < limit / 2 || watches < seats / 2) return [];
      return [
        {
          subject: `PriorityLevelConfiguration ${level}`,
          message: `${formatCount(seats)} of ${formatCount(limit)} seats are in use while ${formatCount(watches)} WATCHes of aggregated APIs are open, each of which holds a seat on this version.`,
          evidence: { grade: "measured", source: "metrics", observedAt: null },
          figures: { watches, seats, limitSeats: limit },
        },
      ];
    });
  }
}

const add = (sums: Map<string, number>, key: string, value: number) =>
  sums.size < LEVELS_KEPT || sums.has(key) ? sums.set(key, (sums.get(key) ?? 0) + value) : sums;

import type { AuditEvent } from "../../../agents/audit-event.ts";
import { formatCount } from "../../../cost/format-figures.ts";
import { splitRequestUri } from "../../../kubernetes/index.ts";
import { subjectOfUser } from "../../reads/client-subject.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding, type StreamObserver } from "../../rule.ts";

/** A client that asks the same thing again without a pause. */
export const clientHotLoop: Rule = {
  name: "client.hot-loop",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "A client repeats one request without a pause",
  what: "Looks in an audit log for runs of at least 20 requests of one user for the same thing (verb, path and selectors; resource versions aside) at 10 a second or more, LISTs at 2 a second, WATCHes that end and begin again at 1 a second. The requests come from one copy, or each begins when the one before is answered. Creations, leader election and health checks are left out. An error from 50 a second.",
  why: "One client takes the seats, the CPU and the audit log of a priority level; nothing fails, so that no error rate shows it.",
  fix: "Find why the client does not take the answer: a buffer too small for it, a status it does not expect, a conflict that it does not resolve. Add a back-off with jitter; until then give its FlowSchema a priority level of its own.",
  sources: [
    {
      text: "fluent/fluent-bit#11134: a response larger than the buffer is asked for again at once",
      url: "https://github.com/fluent/fluent-bit/issues/11134",
    },
    {
      text: "Kubernetes, API Priority and Fairness, good practices",
      url: "https://kubernetes.io/docs/concepts/cluster-administration/flow-control/",
    },
  ],
  check: { kind: "stream", begin },
};

/** Requests of a run. */
const RUN = 20;
/** Requests a second from which a run is one, by verb. */
const RATES: Readonly<Record<string, number>> = { list: 2, watch: 1 };
const RATE = 10;
const RATE_ERROR = 50;
/** A client that answers itself at once waits no longer than this many times the request took. */
const BACK_TO_BACK = 2;
/** Different things that are followed at once, at least; at most twice as many. */
const LOOPS_KEPT = 20_000;
const FINDINGS_PER_CLIENT = 20;

const LEFT_OUT_VERBS = new Set(["create", "post"]);

interface Loop {
  readonly user: string;
  readonly verb: string;
  readonly what: string;
  /** Of the run that goes on now. */
  count: number;
  startedAt: number;
  lastAt: number;
  lastEndAt: number;
  copy: string;
  isOneCopy: boolean;
  /** Each began when the one before was answered. */
  isInTurn: boolean;
  requestMs: number;
  failed: number;
  best: Run | null;
}

interface Run {
  readonly requests: number;
  readonly windowSeconds: number;
  readonly requestsPerSecond: number;
  readonly failed: number;
  readonly endedAt: number;
}

type Runs = Map<string, { readonly loop: Loop; readonly run: Run }[]>;

function begin(): StreamObserver {
  const runs: Runs = new Map();
  // Two generations: what the older one holds and nobody asks again is forgotten when the younger one is full.
  let young = new Map<string, Loop>();
  let old = new Map<string, Loop>();
  return {
    auditEvent: (event) => {
      if (!isLooked(event)) return;
      const key = `${event.userName}\u0000${event.verb}\u0000${describeRequest(event)}`;
      let loop = young.get(key);
      if (loop === undefined) {
        loop = old.get(key);
        if (loop !== undefined) old.delete(key);
        else loop = newLoop(event);
        if (young.size >= LOOPS_KEPT) {
          for (const each of old.values()) keep(runs, each);
          old = young;
          young = new Map();
        }
        young.set(key, loop);
      }
      takeEvent(loop, event);
    },
    finish: () => {
      for (const loop of [...young.values(), ...old.values()]) keep(runs, loop);
      return { findings: [...runs.values()].flatMap(toFinding) };
    },
  };
}

function keep(runs: Runs, loop: Loop): void {
  endRun(loop);
  const { best } = loop;
  if (best === null) return;
  const ofUser = runs.get(loop.user) ?? [];
  runs.set(loop.user, ofUser);
  ofUser.push({ loop, run: best });
  if (ofUser.length > FINDINGS_PER_CLIENT) {
    ofUser.sort((a, b) => b.run.requestsPerSecond - a.run.requestsPerSecond).pop();
  }
}

/** Answers of what names a resource; leader election repeats itself by design. */
function isLooked({ stage, verb, receivedAt, objectRef }: AuditEvent): boolean {
  if ((stage !== "ResponseComplete" && stage !== "Panic") || receivedAt === null) return false;
  return objectRef !== null && !LEFT_OUT_VERBS.has(verb) && objectRef.resource !== "leases";
}

function newLoop(event: AuditEvent): Loop {
  const at = event.receivedAt ?? 0;
  return {
    user: event.userName,
    verb: event.verb,
    what: describeRequest(event),
    count: 0,
    startedAt: at,
    lastAt: at,
    lastEndAt: at,
    copy: copyOf(event),
    isOneCopy: true,
    isInTurn: true,
    requestMs: 0,
    failed: 0,
    best: null,
  };
}

function takeEvent(loop: Loop, event: AuditEvent): void {
  const at = event.receivedAt ?? 0;
  const endAt = event.stageAt ?? at;
  const copy = copyOf(event);
  const longestGapMs = 1000 / rateOf(loop.verb);
  if (at - loop.lastAt > longestGapMs || at < loop.startedAt) {
    endRun(loop);
    restart(loop, at, copy);
  }
  loop.isInTurn &&= loop.count === 0 || at >= loop.lastEndAt;
  loop.isOneCopy &&= loop.copy === copy;
  loop.count++;
  loop.requestMs += endAt - at;
  loop.failed += (event.responseCode ?? 0) >= 400 ? 1 : 0;
  loop.lastAt = Math.max(loop.lastAt, at);
  loop.lastEndAt = endAt;
}

const copyOf = ({ podName, nodeName, sourceIps }: AuditEvent) =>
  podName ?? nodeName ?? sourceIps.at(-1) ?? "";

function restart(loop: Loop, at: number, copy: string): void {
  loop.count = 0;
  loop.startedAt = at;
  loop.lastAt = at;
  loop.copy = copy;
  loop.isOneCopy = true;
  loop.isInTurn = true;
  loop.requestMs = 0;
  loop.failed = 0;
}

const rateOf = (verb: string) => RATES[verb] ?? RATE;

/** Keeps the run that went on until now where it is the fastest so far. */
function endRun(loop: Loop): void {
  const { count, startedAt, lastAt, requestMs } = loop;
  const windowMs = lastAt - startedAt;
  if (count < RUN || windowMs <= 0) return;
  const meanGapMs = windowMs / (count - 1);
  const requestsPerSecond = 1000 / meanGapMs;
  // Copies that start together ask the same thing as well: each once, and not one after the other.
  const isLoop = loop.isOneCopy || (loop.isInTurn && meanGapMs <= BACK_TO_BACK * (requestMs / count));
  if (!isLoop || requestsPerSecond < rateOf(loop.verb)) return;
  if (loop.best !== null && loop.best.requestsPerSecond >= requestsPerSecond) return;
  loop.best = {
    requests: count,
    windowSeconds: windowMs / 1000,
    requestsPerSecond,
    failed: loop.failed,
    endedAt: lastAt,
  };
}

/** Path and selectors; what changes from one request to the next is left out. */
function describeRequest({ requestUri }: AuditEvent): string {
  const { path, query } = splitRequestUri(requestUri);
  if (query === "") return path;
  if (!CHANGING.test(query)) return `${path}?${query}`;
  const kept = query.split("&").filter((pair) => pair !== "" && !CHANGING.test(pair));
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`;
}
const CHANGING =
  /(?:^|&)(?:resourceVersion|resourceVersionMatch|timeoutSeconds|timeout|continue|allowWatchBookmarks)(?:=|&|$)/;

function toFinding(runs: readonly { readonly loop: Loop; readonly run: Run }[]): readonly RuleFinding[] {
  const [worst, ...others] = runs.toSorted(
    (a, b) => b.run.requestsPerSecond - a.run.requestsPerSecond || (a.loop.what < b.loop.what ? -1 : 1),
  );
  if (worst === undefined) return [];
  const { loop, run } = worst;
  const rate = Number(run.requestsPerSecond.toPrecision(3));
  const failed =
    run.failed === 0
      ? "all of them answered without error"
      : `${formatCount(run.failed)} of them answered with an error`;
  return [
    {
      subject: subjectOfUser(loop.user),
      severity: run.requestsPerSecond >= RATE_ERROR ? "error" : "warning",
      message: `It sends ${loop.verb} ${loop.what} ${formatCount(rate)} times a second (${formatCount(run.requests)} in ${Number(run.windowSeconds.toPrecision(3))} s), ${failed}.`,
      evidence: { grade: "measured", source: "audit log", observedAt: run.endedAt },
      figures: {
        verb: loop.verb,
        request: loop.what,
        requests: run.requests,
        windowSeconds: run.windowSeconds,
        requestsPerSecond: run.requestsPerSecond,
        failedRequests: run.failed,
      },
      related: others.map(
        (each) =>
          `${each.loop.verb} ${each.loop.what}: ${Number(each.run.requestsPerSecond.toPrecision(3))} a second`,
      ),
    },
  ];
}

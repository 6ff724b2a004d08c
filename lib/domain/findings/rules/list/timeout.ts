import { type AuditEvent, elapsedSeconds } from "../../../agents/audit-event.ts";
import { formatCount } from "../../../cost/format-figures.ts";
import type { SourcePosition } from "../../finding.ts";
import { formatPosition } from "../../finding.ts";
import { clientOf, copyOf, subjectOfClient } from "../../reads/client-subject.ts";
import { nameOfResource, sizeOf } from "../../reads/collection-sizes.ts";
import { requestOf } from "../../reads/parsed-request.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding, type StreamObserver } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { readListFailure } from "./list-log-line.ts";

/** LISTs that do not come to an end in time. */
export const listTimeout: Rule = {
  name: "list.timeout",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "A LIST does not end within its deadline",
  what: "Looks for LISTs that end with 504 or at the 60 s that an API server gives a request (--request-timeout), in an audit log and in logs of API servers and clients. One such LIST is a warning; three of one resource by one client, or two more than succeeded, an error.",
  why: "The work is done and thrown away: the client starts over, so that the API server and etcd carry the same LIST again and again, and the client's cache never fills.",
  fix: "Make the LIST smaller: a namespace or selector, pages (limit without resourceVersion=0), metadata only, WatchList (it has no such deadline). Delete what need not be kept: finished Jobs, old ReplicaSets, events. A longer --request-timeout hides it.",
  sources: [
    {
      text: "kubernetes/apiserver pkg/server/filters/timeout.go and pkg/server/config.go (RequestTimeout 60 s), v0.26 to v0.37",
      url: "https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/server/config.go",
    },
    {
      text: "Kubernetes API concepts, retrieving large results sets in chunks",
      url: "https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks",
    },
  ],
  check: { kind: "stream", begin },
};

/** A streamed LIST that is cut at the deadline still counts as answered: only its length tells. */
const DEADLINE_SECONDS = 59.5;
const FAILURES_OF_AN_ERROR = 3;
/** Bounds of what is kept. */
const LISTS_KEPT = 5000;
const COPIES_KEPT = 20_000;

interface Lists {
  readonly client: string | null;
  /** Of a log: which program said it, or empty. */
  readonly program: string;
  readonly apiGroup: string;
  readonly resource: string;
  count: number;
  timedOut: number;
  slowestSeconds: number | null;
  readonly copies: Set<string>;
  lastAt: number | null;
  position: SourcePosition | null;
}

function begin(facts: ScanFacts): StreamObserver {
  const lists = new Map<string, Lists>();
  return {
    auditEvent: (event) => takeEvent(lists, event),
    logLine: (line, position) => takeLine(lists, line, position),
    finish: () => ({
      findings: [...lists.values()]
        .filter(({ timedOut }) => timedOut > 0)
        .map((each) => toFinding(each, facts)),
    }),
  };
}

function takeEvent(lists: Map<string, Lists>, event: AuditEvent): void {
  if (event.verb !== "list" || (event.stage !== "ResponseComplete" && event.stage !== "Panic")) return;
  const { resource, apiGroup } = requestOf(event).info;
  if (resource === "") return;
  const seconds = elapsedSeconds(event);
  // "Too large resource version" is a 504 as well: the client asked a cache that is not there yet, and nothing was listed.
  const isTooNew = event.responseCode === 504 && (seconds ?? 0) < MIN_DEADLINE_SECONDS;
  const isTimedOut = (event.responseCode === 504 && !isTooNew) || (seconds ?? 0) >= DEADLINE_SECONDS;
  const client = clientOf(event.userName);
  const found = take(lists, { client, program: "", apiGroup, resource });
  if (found === null) return;
  found.count++;
  if (!isTimedOut) return;
  found.timedOut++;
  found.slowestSeconds = Math.max(found.slowestSeconds ?? 0, seconds ?? 0);
  if (found.copies.size < COPIES_KEPT) found.copies.add(copyOf(event));
  found.lastAt = event.stageAt ?? found.lastAt;
}

/** A cache that is behind is waited for 3 s; no deadline is that short. */
const MIN_DEADLINE_SECONDS = 3.5;

function takeLine(lists: Map<string, Lists>, line: string, position: SourcePosition): void {
  const failure = readListFailure(line);
  if (failure === null) return;
  const found = take(lists, { client: null, ...failure });
  if (found === null) return;
  found.count++;
  found.timedOut++;
  found.slowestSeconds =
    failure.seconds === null ? found.slowestSeconds : Math.max(found.slowestSeconds ?? 0, failure.seconds);
  found.position ??= position;
}

function take(
  lists: Map<string, Lists>,
  { client, program, apiGroup, resource }: Pick<Lists, "client" | "program" | "apiGroup" | "resource">,
): Lists | null {
  const key = [client ?? "", program, apiGroup, resource].join("\u0000");
  const known = lists.get(key);
  if (known !== undefined || lists.size >= LISTS_KEPT) return known ?? null;
  const made: Lists = {
    client,
    program,
    apiGroup,
    resource,
    count: 0,
    timedOut: 0,
    slowestSeconds: null,
    copies: new Set(),
    lastAt: null,
    position: null,
  };
  lists.set(key, made);
  return made;
}

function toFinding(lists: Lists, facts: ScanFacts): RuleFinding {
  const { client, program, count, timedOut, slowestSeconds, position } = lists;
  const name = nameOfResource(lists.apiGroup, lists.resource);
  const { objects, storedBytes } = sizeOf(facts.cluster, lists.apiGroup, lists.resource);
  const isMost = timedOut >= count - timedOut + 2;
  const of = client === null ? "" : ` of ${formatCount(count)}`;
  const slowest =
    slowestSeconds === null || slowestSeconds === 0
      ? ""
      : `, the longest after ${formatSeconds(slowestSeconds)} s`;
  const size = objects === null ? "" : ` It holds ${formatCount(objects)} objects.`;
  return {
    subject:
      client !== null
        ? subjectOfClient(client, lists.copies.size)
        : program === ""
          ? name
          : `user agent ${program}`,
    severity: timedOut >= FAILURES_OF_AN_ERROR || isMost ? "error" : "warning",
    message: `${formatCount(timedOut)}${of} LISTs of ${name} ended without a whole answer${slowest}.${size}`,
    evidence: {
      grade: "measured",
      source: position === null ? "audit log" : formatPosition(position),
      observedAt: lists.lastAt,
    },
    figures: {
      resource: name,
      lists: count,
      timeouts: timedOut,
      secondsEach: slowestSeconds,
      objects,
      storedBytes,
    },
    position,
  };
}

const formatSeconds = (seconds: number) => String(Number(seconds.toPrecision(3)));

import { type AuditEvent, elapsedSeconds } from "../../../agents/audit-event.ts";
import { formatCount } from "../../../cost/format-figures.ts";
import { formatPosition, type SourcePosition } from "../../finding.ts";
import { textAt } from "../../json-value.ts";
import { nameOfResource } from "../../reads/collection-sizes.ts";
import { requestOf } from "../../reads/parsed-request.ts";
import type { Rule, RuleFinding, ScannedWatchEvent, StreamObserver } from "../../rule.ts";
import { pluralOf } from "../list/list-log-line.ts";

/** A streamed LIST of which the client never learns that it is whole. */
export const watchlistNoBookmark: Rule = {
  name: "watchlist.no-bookmark",
  severity: "error",
  // The request is known to API servers since 1.27; an aggregated API or a proxy may be of any version.
  versions: { from: 27, until: null },
  title: "A WatchList ends without the bookmark that closes its initial events",
  what: "Looks at saved watch streams: one that begins with ADDED events (or holds none at all) and has no BOOKMARK with the annotation k8s.io/initial-events-end is reported, as is a stream whose bookmarks lack it. Also reads logs of reflectors that wait for that bookmark.",
  why: "Clients of client-go 1.35 and later ask for a WatchList first and count a resource as synced when that bookmark comes. Without it there is no error: the informer waits and starts over, its cache is never ready, and whoever waits for all caches does not start.",
  fix: 'Let the server of this API (an aggregated API server, a proxy between) send the bookmark with metadata.annotations k8s.io/initial-events-end: "true" and a resourceVersion, or refuse sendInitialEvents with 422 so that clients fall back to LIST. Until then KUBE_FEATURE_WatchListClient=false in the client.',
  sources: [
    {
      text: "kubernetes/kubernetes#140890: a WatchList informer retries for ever when an aggregated API server sends no such bookmark",
      url: "https://github.com/kubernetes/kubernetes/issues/140890",
    },
    {
      text: "antrea-io/antrea#8123",
      url: "https://github.com/antrea-io/antrea/issues/8123",
    },
    {
      text: "KEP-3157, watch-list",
      url: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/3157-watch-list",
    },
  ],
  check: { kind: "stream", begin },
};

const END_ANNOTATION = "k8s.io/initial-events-end";
const FILES_KEPT = 1000;
const TYPES_KEPT = 1000;

interface Stream {
  events: number;
  added: number;
  changed: number;
  bookmarks: number;
  hasEnd: boolean;
  /** Of the objects: `widgets.example.com/v1 Widget`. */
  readonly kinds: Set<string>;
}

interface Logged {
  lines: number;
  position: SourcePosition;
}

function begin(): StreamObserver {
  const streams = new Map<string, Stream>();
  const logged = new Map<string, Logged>();
  const asked = new Map<string, { count: number; seconds: number }>();
  return {
    watchEvent: (event, { file }) => takeEvent(streams, event, file),
    logLine: (line, position) => takeLine(logged, line, position),
    auditEvent: (event) => takeRequest(asked, event),
    finish: () => ({
      findings: [
        ...[...streams].flatMap(([file, stream]) => judge(file, stream, asked)),
        ...[...logged].map(([name, each]) => describeLog(name, each)),
      ],
    }),
  };
}

/** WatchLists that an audit log shows: of which resource, and how long they lasted. */
function takeRequest(asked: Map<string, { count: number; seconds: number }>, event: AuditEvent): void {
  if (event.verb !== "watch" || event.stage !== "ResponseComplete") return;
  const { options, apiGroup, resource } = requestOf(event).info;
  if (options?.sendInitialEvents !== true) return;
  const name = nameOfResource(apiGroup, resource);
  const known = asked.get(name) ?? { count: 0, seconds: 0 };
  if (asked.size < TYPES_KEPT || asked.has(name)) asked.set(name, known);
  known.count++;
  known.seconds = Math.max(known.seconds, elapsedSeconds(event) ?? 0);
}

function takeEvent(streams: Map<string, Stream>, { type, object }: ScannedWatchEvent, file: string): void {
  let stream = streams.get(file);
  if (stream === undefined) {
    if (streams.size >= FILES_KEPT) return;
    stream = { events: 0, added: 0, changed: 0, bookmarks: 0, hasEnd: false, kinds: new Set() };
    streams.set(file, stream);
  }
  stream.events++;
  if (type === "ADDED") stream.added++;
  else if (type === "BOOKMARK") stream.bookmarks++;
  else if (type === "MODIFIED" || type === "DELETED") stream.changed++;
  if (type === "BOOKMARK" && textAt(object, "metadata", "annotations", END_ANNOTATION) === "true")
    stream.hasEnd = true;
  if (type !== "ERROR" && stream.kinds.size < 3) stream.kinds.add(kindOf(object));
}

function kindOf(object: ScannedWatchEvent["object"]): string {
  const apiVersion = textAt(object, "apiVersion") ?? "";
  return `${textAt(object, "kind") ?? "object"}${apiVersion === "" ? "" : ` ${apiVersion}`}`;
}

function judge(
  file: string,
  stream: Stream,
  asked: ReadonlyMap<string, { readonly count: number; readonly seconds: number }>,
): readonly RuleFinding[] {
  // A stream that begins with changes is no WatchList: it went on from a resource version.
  if (stream.hasEnd || (stream.added === 0 && stream.bookmarks === 0)) return [];
  if (stream.added === 0 && stream.changed > 0) return [];
  const [request] = [...asked];
  const subject = subjectOfStream(stream);
  const bookmarks =
    stream.bookmarks === 0
      ? "no BOOKMARK"
      : `${formatCount(stream.bookmarks)} BOOKMARKs, none with ${END_ANNOTATION}`;
  const lasted =
    request === undefined
      ? ""
      : ` It was asked for ${formatCount(request[1].count)} times, ${formatCount(Math.round(request[1].seconds))} s at the longest.`;
  return [
    {
      subject,
      message: `The stream of ${[...stream.kinds].sort().join(", ")} holds ${formatCount(stream.added)} ADDED and ${bookmarks}: a client of WatchList never counts it as whole.${lasted}`,
      evidence: { grade: "measured", source: file, observedAt: null },
      figures: {
        added: stream.added,
        bookmarks: stream.bookmarks,
        events: stream.events,
        initialEventsEnd: false,
        ...(request === undefined
          ? {}
          : { watchLists: request[1].count, longestSeconds: request[1].seconds }),
      },
      position: { file, line: null },
    },
  ];
}

/** `APIService v1beta2.example.com` of an API of one's own, which may be another server's; `pods` of a built-in one. */
function subjectOfStream({ kinds }: Stream): string {
  const [kind = "object"] = [...kinds].sort();
  const [name = "", apiVersion = ""] = kind.split(" ");
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  if (group.includes(".") && !group.endsWith(".k8s.io")) return `APIService ${version}.${group}`;
  return nameOfResource(group, pluralOf(name));
}

const AWAITING =
  /(?:awaiting|waiting for|hasn't received|has not received) (?:the )?required bookmark|event bookmark expired/;
const LINE_LIMIT = 20_000;

function takeLine(logged: Map<string, Logged>, line: string, position: SourcePosition): void {
  if (line.length > LINE_LIMIT || !AWAITING.test(line)) return;
  const type = /(?:type|reflector|expectedType)="?[^\s"]*\*?(?:[\w-]+\.)+(\w+)/.exec(line)?.[1];
  const name = type ?? /\bname="?([\w./*-]+)/.exec(line)?.[1] ?? "informer";
  const known = logged.get(name);
  if (known !== undefined) known.lines++;
  else if (logged.size < TYPES_KEPT) logged.set(name, { lines: 1, position });
}

/** One such line is a slow start; a reflector says it again every ten seconds. */
function describeLog(name: string, { lines, position }: Logged): RuleFinding {
  return {
    subject: name,
    severity: lines >= 3 ? "error" : "warning",
    message: `The log says ${formatCount(lines)} times that the bookmark which ends the initial events has not come.`,
    evidence: { grade: "measured", source: formatPosition(position), observedAt: null },
    figures: { lines },
    position,
  };
}

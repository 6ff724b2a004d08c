/**
 * The annotation `headroom.dev/informers`, by which the owner of a workload says what every copy of it reads.
 *
 *     headroom.dev/informers: |
 *       pods@node protobuf
 *       endpointslices.discovery.k8s.io
 *       configmaps@namespace=kube-system label=app=agent
 *       nodes poll=60s json rv=0
 *       client client-go/0.34.1 qps=5 burst=10
 *
 * Entries stand on lines of their own or are parted by `;`. An entry is a resource, plural and with its group
 * (`pods`, `ciliumnodes.cilium.io`; `*` for everything, `*.apps` for a group), how much of it (`@node`: of the copy's own node; `@namespace`: of its own namespace;
 * `@namespace=NAME`; `@object=NAME` or `@object=NAMESPACE/NAME`; nothing: all of the cluster), and options:
 *
 *     json protobuf cbor metadata metadata-json metadata-protobuf     the form asked for (metadata: metadata-json)
 *     list | watch | get | poll=60s                                    instead of LIST and then WATCH (get: each object by name)
 *     relist=10m                                                       lists anew that often
 *     field=SELECTOR label=SELECTOR                                    without white space
 *     rv=0 | rv=latest, limit=500, watchlist=on | off                  where it is not as its library does
 *     leader                                                           only the copy that leads reads it
 *
 * One entry `client LIBRARY/VERSION` with `qps=`, `burst=`, `gzip=on|off` tells the client library. `none` says that it
 * reads nothing. What stands in no entry is not read: a declaration is complete. One of a client alone says nothing of what
 * is read.
 */

import { INFORMER_CLIENTS } from "../informers/clients.ts";
import { parseVersion } from "../kubernetes/version.ts";
import type { AgentClient, AgentInformer, InformerScope, ReadMode } from "./agent.ts";
import { isRepresentation, OWN_NODE, ownNodeField, subjectOf } from "./informer-text.ts";

/** An informer before anybody says how it is known. */
export type DeclaredInformer = Omit<AgentInformer, "evidence">;
export type DeclaredClient = Omit<AgentClient, "evidence">;

export interface AnnotationProblem {
  /** From 1. */
  readonly line: number;
  /** In characters of the line, from 1. */
  readonly column: number;
  readonly found: string;
  readonly expected: string;
}

export interface ParsedAnnotation {
  /** In the order written. */
  readonly informers: readonly DeclaredInformer[];
  /** False where only a client is told: then the informers are not known, and not none. */
  readonly tellsInformers: boolean;
  /** `null`: no entry says. */
  readonly client: DeclaredClient | null;
  /** Where the text is wrong; then nothing of it may be used. */
  readonly problems: readonly AnnotationProblem[];
}

interface Word {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

interface ProblemSink {
  readonly add: (word: Word, expected: string) => null;
}

/** Entries beyond are refused: nothing reads so many kinds. */
const MOST_ENTRIES = 500;
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
/** Alone every resource, before a group every one of it. */
const ANY = "*";
const GROUP = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Parses the annotation strictly: anything that is not understood is a problem with its place. */
export function parseInformersAnnotation(text: string): ParsedAnnotation {
  const problems: AnnotationProblem[] = [];
  const sink: ProblemSink = {
    add: ({ text: found, line, column }, expected) => {
      problems.push({ line, column, found, expected });
      return null;
    },
  };
  const entries = splitEntries(text);
  const informers: DeclaredInformer[] = [];
  const seen = new Set<string>();
  let client: DeclaredClient | null = null;
  let isNone = false;
  if (entries.length > MOST_ENTRIES) {
    const first = entries[MOST_ENTRIES]?.[0];
    if (first !== undefined) sink.add(first, `at most ${MOST_ENTRIES} entries`);
    return refused(problems);
  }
  if (entries.length === 0) {
    sink.add({ text: "", line: 1, column: 1 }, "entries such as pods@node, or none where it reads nothing");
  }
  for (const [first, ...options] of entries) {
    if (first === undefined) continue;
    if (first.text === "none") {
      const others = entries.some(([word]) => word !== first && word?.text !== "client");
      if (others || options.length > 0) sink.add(first, "none to stand alone, or beside a client");
      isNone = true;
      continue;
    }
    if (first.text === "client") {
      if (client !== null) sink.add(first, "one client entry");
      client = parseClient(first, options, sink);
      continue;
    }
    const informer = parseInformer(first, options, sink);
    if (informer === null) continue;
    const key = JSON.stringify(informer);
    if (seen.has(key)) sink.add(first, "every entry once");
    seen.add(key);
    informers.push(informer);
  }
  if (problems.length > 0) return refused(problems);
  return { informers, tellsInformers: isNone || informers.length > 0, client, problems };
}

const refused = (problems: readonly AnnotationProblem[]): ParsedAnnotation => ({
  informers: [],
  tellsInformers: false,
  client: null,
  problems,
});

/** Words of each entry, with their places. */
function splitEntries(text: string): Word[][] {
  const entries: Word[][] = [];
  let line = 0;
  for (const content of text.split(/\r?\n/)) {
    line += 1;
    let offset = 0;
    for (const part of content.split(";")) {
      const words = [...part.matchAll(/\S+/g)].map((match) => ({
        text: match[0],
        line,
        column: offset + match.index + 1,
      }));
      if (words.length > 0) entries.push(words);
      offset += part.length + 1;
    }
  }
  return entries;
}

function parseInformer(first: Word, options: readonly Word[], sink: ProblemSink): DeclaredInformer | null {
  const at = first.text.indexOf("@");
  const named = at < 0 ? first.text : first.text.slice(0, at);
  const dot = named.indexOf(".");
  const resource = dot < 0 ? named : named.slice(0, dot);
  const apiGroup = named === ANY ? ANY : dot < 0 ? "" : named.slice(dot + 1);
  if (!(resource === ANY || NAME.test(resource)) || (dot >= 0 && !GROUP.test(apiGroup))) {
    return sink.add(
      first,
      "a resource as in pods, endpointslices.discovery.k8s.io: plural, lower case, with its group",
    );
  }
  const scope = parseScope(first, at < 0 ? "" : first.text.slice(at + 1), { apiGroup, resource }, sink);
  if (scope === null) return null;
  const informer: Mutable<DeclaredInformer> = {
    apiGroup,
    resource,
    ...scope,
    labelSelector: null,
    representation: null,
    mode: "informer",
    periodSeconds: null,
    resourceVersion: null,
    pageSize: null,
    watchList: null,
  };
  const given = new Set<string>();
  let isRight = true;
  for (const word of options) {
    const option = optionKind(word.text);
    if (given.has(option)) {
      sink.add(word, `one ${option} of ${subjectOf(informer)}`);
      isRight = false;
    } else if (!applyOption(informer, option, word, sink)) isRight = false;
    given.add(option);
  }
  return isRight ? informer : null;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type ScopeFields = Pick<DeclaredInformer, "scope" | "namespace" | "fieldSelector">;

function parseScope(
  word: Word,
  text: string,
  resource: Pick<DeclaredInformer, "apiGroup" | "resource">,
  sink: ProblemSink,
): ScopeFields | null {
  const fields = (
    scope: InformerScope,
    namespace: string | null,
    fieldSelector: string | null,
  ): ScopeFields => ({
    scope,
    namespace,
    fieldSelector,
  });
  if (text === "") {
    if (word.text.includes("@")) return sink.add(word, SCOPES);
    return fields("cluster", null, null);
  }
  const [kind, value] = splitOption(text);
  if (kind === "node" && value === null)
    return fields("own-node", null, `${ownNodeField(resource)}=${OWN_NODE}`);
  if (kind === "namespace" && value === null) return fields("namespace", null, null);
  if (kind === "namespace" && value !== null && NAME.test(value)) return fields("namespace", value, null);
  if (kind === "object" && value !== null) {
    const [namespace, name] = value.includes("/") ? value.split("/", 2) : [null, value];
    if (name !== undefined && GROUP.test(name) && (namespace === null || NAME.test(namespace ?? ""))) {
      return fields("single-object", namespace ?? null, `metadata.name=${name}`);
    }
  }
  return sink.add(word, SCOPES);
}

const SCOPES =
  "@node, @namespace, @namespace=NAME, @object=NAME or @object=NAMESPACE/NAME behind the resource";
const OPTIONS =
  "json, protobuf, cbor, metadata, list, watch, get, poll=60s, relist=10m, field=…, label=…, rv=0, rv=latest, limit=500, watchlist=on, watchlist=off or leader";

/** What options exclude one another by. */
function optionKind(text: string): string {
  const [name, value] = splitOption(text);
  if (value === null && (isRepresentation(name) || name === "metadata")) return "form";
  if (name === "poll" || (value === null && (name === "list" || name === "watch" || name === "get")))
    return "mode";
  return name;
}

function applyOption(
  informer: Mutable<DeclaredInformer>,
  kind: string,
  word: Word,
  sink: ProblemSink,
): boolean {
  const [name, value] = splitOption(word.text);
  const wrong = (expected: string) => sink.add(word, expected) !== null;
  switch (kind) {
    case "form":
      informer.representation = isRepresentation(name) ? name : "metadata-json";
      return true;
    case "mode": {
      if (name !== "poll") {
        informer.mode = name as Extract<ReadMode, "list" | "watch" | "get">;
        return true;
      }
      const seconds = parseSeconds(value);
      if (seconds === null) return wrong("poll=60s, poll=5m or poll=1h");
      informer.mode = "poll";
      informer.periodSeconds = seconds;
      return true;
    }
    case "relist": {
      const seconds = parseSeconds(value);
      if (seconds === null) return wrong("relist=60s, relist=10m or relist=1h");
      if (informer.mode !== "informer") return wrong("relist only of what is listed and watched");
      informer.periodSeconds = seconds;
      return true;
    }
    case "field":
    case "label":
      if (value === null || value === "") return wrong(`${kind}=SELECTOR`);
      if (kind === "label") informer.labelSelector = value;
      else if (informer.scope === "single-object") return wrong("no field beside @object, which sets it");
      else
        informer.fieldSelector =
          informer.fieldSelector === null ? value : `${informer.fieldSelector},${value}`;
      return true;
    case "rv":
      if (value !== "0" && value !== "latest") return wrong("rv=0 or rv=latest");
      informer.resourceVersion = value === "0" ? "0" : "";
      return true;
    case "limit": {
      const limit = value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;
      if (limit === null) return wrong("limit=500, or limit=0 for none");
      informer.pageSize = limit;
      return true;
    }
    case "watchlist":
      if (value !== "on" && value !== "off") return wrong("watchlist=on or watchlist=off");
      informer.watchList = value === "on";
      return true;
    case "leader":
      if (value !== null) return wrong("leader without a value");
      informer.isLeaderOnly = true;
      return true;
    default:
      return wrong(OPTIONS);
  }
}

const LIBRARIES = [...INFORMER_CLIENTS, "other"] as const;

function parseClient(first: Word, options: readonly Word[], sink: ProblemSink): DeclaredClient | null {
  const [named, ...rest] = options;
  const expected = `client LIBRARY/VERSION, where LIBRARY is ${LIBRARIES.join(", ")}`;
  if (named === undefined) return sink.add(first, expected);
  const [libraryName = "", version] = named.text.split("/", 2);
  const library = LIBRARIES.find((each) => each === libraryName);
  if (library === undefined) return sink.add(named, expected);
  if (version !== undefined && library !== "other" && parseVersion(version) === null) {
    return sink.add(named, `a version as in ${library}/0.34.1`);
  }
  const client: Mutable<DeclaredClient> = {
    library,
    version: version ?? null,
    qps: null,
    burst: null,
    acceptsGzip: null,
  };
  for (const word of rest) {
    const [name, value] = splitOption(word.text);
    if ((name === "qps" || name === "burst") && value !== null && /^\d{1,9}(\.\d{1,9})?$/.test(value)) {
      client[name] = Number(value);
    } else if (name === "gzip" && (value === "on" || value === "off")) client.acceptsGzip = value === "on";
    else return sink.add(word, "qps=5, burst=10, gzip=on or gzip=off");
  }
  return client;
}

function splitOption(text: string): readonly [string, string | null] {
  const at = text.indexOf("=");
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

/** `60s`, `5m`, `1h`; `null` for anything else and for 0. */
function parseSeconds(text: string | null): number | null {
  const match = /^(\d{1,7}(?:\.\d{1,3})?)(s|m|h)$/.exec(text ?? "");
  if (match === null) return null;
  const unit = match[2] === "h" ? 3600 : match[2] === "m" ? 60 : 1;
  const seconds = Number(match[1]) * unit;
  return seconds > 0 ? seconds : null;
}

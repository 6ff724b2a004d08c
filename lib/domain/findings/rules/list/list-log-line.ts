import { parseRequest, splitRequestUri } from "../../../kubernetes/index.ts";

/** A LIST that failed for lack of time, as a log line tells it. */
export interface ListFailure {
  /** Who said it or sent it; empty where the line does not say. */
  readonly program: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly seconds: number | null;
}

/** Longer lines hold bodies, no messages. */
const LINE_LIMIT = 20_000;

/** What clients and API servers write when a LIST runs out of time. */
const OUT_OF_TIME =
  /request did not complete within (?:the )?(?:requested|allotted) timeout|unable to return a response in the time allotted|context deadline exceeded|Client\.Timeout exceeded|timed out waiting|stream error:[^\n]*INTERNAL_ERROR|[Tt]imeout or abort while handling|http: Handler timeout|unexpected EOF/;
const LIST_OF_TYPE = /failed to list \*?(?:[\w/.-]*\.)?([A-Z]\w*)/;
const LIST_OF_RESOURCE = /\(get ([a-z0-9][\w.-]*)\)/;
const HTTP_VERB = /\bverb="?(LIST|GET)"?/;
const HTTP_URI = /\b(?:URI|url|path|uri)[=:]"?([^\s",]+)/;
const HTTP_STATUS = /\b(?:resp|statusCode|status|code)[=:]"?(\d{3})\b/;
const LATENCY = /\b(?:latency|total time|duration|elapsed)[=:]\s*"?((?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|us))+)/;
const USER_AGENT = /\buserAgent="([^"]+)"/;

/**
 * Reads a line of an API server's request log, of its trace, or of a reflector. `null` for a line that tells no LIST that
 * ran out of time. Source: apiserver pkg/server/httplog and filters/timeout.go, client-go tools/cache/reflector.go, v0.26
 * to v0.37.
 */
export function readListFailure(line: string): ListFailure | null {
  if (line.length > LINE_LIMIT) return null;
  return readRequestLine(line) ?? readReflectorLine(line);
}

function readRequestLine(line: string): ListFailure | null {
  const uri = HTTP_URI.exec(line)?.[1];
  if (uri === undefined || !uri.startsWith("/api")) return null;
  const verb = HTTP_VERB.exec(line)?.[1];
  const { path, query } = splitRequestUri(uri);
  const { verb: parsed, resource, apiGroup } = parseRequest("GET", path, query);
  const isList = (verb === "LIST" || /"List"/.test(line) || verb === "GET") && parsed === "list";
  if (!isList || resource === "") return null;
  const seconds = secondsOf(LATENCY.exec(line)?.[1]);
  const status = Number(HTTP_STATUS.exec(line)?.[1] ?? 0);
  if (status !== 504 && (seconds ?? 0) < 59.5 && !OUT_OF_TIME.test(line)) return null;
  return { program: USER_AGENT.exec(line)?.[1] ?? "", apiGroup, resource, seconds };
}

function readReflectorLine(line: string): ListFailure | null {
  if (!OUT_OF_TIME.test(line)) return null;
  const type = LIST_OF_TYPE.exec(line)?.[1];
  const named = LIST_OF_RESOURCE.exec(line)?.[1];
  if (type === undefined && (named === undefined || !/\blist\b/i.test(line))) return null;
  const resource = named ?? pluralOf(type ?? "");
  const dot = resource.indexOf(".");
  return {
    program: "",
    apiGroup: dot < 0 ? "" : resource.slice(dot + 1),
    resource: dot < 0 ? resource : resource.slice(0, dot),
    seconds: secondsOf(LATENCY.exec(line)?.[1]),
  };
}

/** As most resources are called: `Pod` pods, `NetworkPolicy` networkpolicies, `Ingress` ingresses. */
export function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/[^aeiou]y$/.test(lower)) return `${lower.slice(0, -1)}ies`;
  if (lower === "endpoints") return lower;
  return /(?:s|x|ch|sh)$/.test(lower) ? `${lower}es` : `${lower}s`;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6 };

/** A duration as Go prints it: `1m0.5s`. */
function secondsOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|µs|us)/g)) {
    seconds += Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? 0);
  }
  return seconds;
}

import path from "node:path";
import type { InputKind } from "../domain/findings/index.ts";

/** What the beginning of an input says it is. `json` and `yaml` are looked into as a whole. */
export type Recognised =
  | {
      readonly kind: Exclude<
        InputKind,
        "manifests" | "cluster-facts" | "measurements" | "openapi-v2" | "openapi-v3"
      >;
    }
  | { readonly kind: "json" | "json-lines" | "yaml" }
  | { readonly kind: "openapi-protobuf"; readonly version: "v2" | "v3" }
  | { readonly kind: "unknown"; readonly reason: string };

/** Recognised by the name alone, where the content could be anything. */
const CLUSTER_FACTS_NAME = /^cluster\.(?:ya?ml|json)$/;
const MEASURED_NAME =
  /^(?:measurements|responses|timeline|health[\w.-]*|apiservices|endpoints|endpointslices|events|namespaces|nodes|pods|services)\.(?:json|ya?ml)$/;
const LOG_NAME = /(?:\.log(?:\.\d+)?|^events\.txt)$/;

const BYTE_ORDER_MARK = /^\ufeff/;
const HEALTH_LINE = /^\[[+-]\]\S+ (?:ok|excluded|failed)/;
const KLOG_LINE = /^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+\s/;
const METRIC_COMMENT = /^# (?:HELP|TYPE|UNIT) [a-zA-Z_:][\w:]*(?: |$)/;
/** A name may hold colons and does not end in one: `nodes: 5` is YAML. */
const METRIC_LINE =
  /^[a-zA-Z_:](?:[\w:]*\w)?(?:\{.*\})?[ \t]+[+-]?(?:\d|\.\d|Inf|NaN)\S*(?:[ \t]+-?\d+)?(?: # .*)?$/;
const YAML_LINE = /^(?:---(?:\s|$)|%YAML|(?:["']?[\w./-]+["']?):(?:\s|$)|- )/;

/** Name of a file without its folder and without `.gz`. */
export const plainName = (name: string) => path.basename(name).replace(/\.gz$/, "");

export const isClusterFactsName = (name: string) => CLUSTER_FACTS_NAME.test(plainName(name));
export const isMeasuredName = (name: string) => MEASURED_NAME.test(plainName(name));

/** What an input is, by its first bytes first and by its name second. */
export function recognise(name: string, head: Buffer): Recognised {
  if (head.length === 0) return { kind: "unknown", reason: "empty" };
  const protobuf = recogniseProtobuf(head);
  if (protobuf !== null) return protobuf;
  if (isUtf16(head)) return { kind: "unknown", reason: "UTF-16 text; UTF-8 is read" };
  if (head.includes(0)) return { kind: "unknown", reason: "binary data of no known kind" };
  const text = head.toString("utf8").replace(BYTE_ORDER_MARK, "");
  const lines = text.split(/\r?\n/, 50);
  const first = lines.find((line) => line.trim() !== "") ?? "";
  if (first === "") return { kind: "unknown", reason: "blank" };
  return (
    recogniseAudit(text, lines) ??
    recogniseDump(first) ??
    recogniseText(lines, first) ??
    recogniseJson(first, text) ??
    recogniseByName(name) ??
    recogniseYaml(name, lines) ?? { kind: "unknown", reason: "none of the kinds of input that are read" }
  );
}

function recogniseDump(first: string): Recognised | null {
  if (!/^PriorityLevelName,/.test(first.trimStart())) return null;
  const columns = new Set(first.split(",").map((column) => column.trim()));
  if (columns.has("FlowSchemaName")) return { kind: "dump-requests" };
  if (columns.has("PendingRequests")) return { kind: "dump-queues" };
  if (columns.has("WaitingRequests")) return { kind: "dump-priority-levels" };
  return { kind: "unknown", reason: "a debug dump without the columns of one that is read" };
}

function recogniseText(lines: readonly string[], first: string): Recognised | null {
  if (HEALTH_LINE.test(first)) return { kind: "health" };
  if (KLOG_LINE.test(first)) return { kind: "log" };
  if (METRIC_COMMENT.test(first)) return { kind: "metrics" };
  const isMetrics = lines
    .slice(0, -1)
    .filter((line) => line.trim() !== "")
    .every((line) => line.startsWith("#") || METRIC_LINE.test(line));
  return isMetrics && METRIC_LINE.test(first) ? { kind: "metrics" } : null;
}

/** Events one a line, in lists, or over many lines; a rotated file may begin inside one, a collector write before each. */
function recogniseAudit(text: string, lines: readonly string[]): Recognised | null {
  const begin = text.slice(0, 1000);
  const isJson = /^\s*[{[]/.test(begin);
  const isEvent = isJson && AUDIT_VERSION.test(begin) && /"kind"\s*:\s*"Event(?:List)?"/.test(begin);
  return isEvent || lines.some((line) => AUDIT_EVENT_LINE.test(line)) ? { kind: "audit-log" } : null;
}

const AUDIT_VERSION = /"apiVersion"\s*:\s*"audit\.k8s\.io\//;
/** What a collector of logs writes before an event is its own short line. */
const AUDIT_EVENT_LINE = /^[^{]{0,200}\{"kind":"Event","apiVersion":"audit\.k8s\.io\//;

function recogniseJson(first: string, text: string): Recognised | null {
  const begin = first.trimStart();
  if (!/^[{[]/.test(begin)) return null;
  // `{{ … }}` opens a template of Go, not an object.
  if (/^\{\{/.test(begin)) return null;
  const value = parse(begin);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const { type, object } = value as Readonly<Record<string, unknown>>;
    if (typeof type === "string" && WATCH_TYPES.has(type) && object !== undefined)
      return { kind: "watch-stream" };
    const rest = text.slice(text.indexOf(first) + first.length).trim();
    return { kind: rest.startsWith("{") ? "json-lines" : "json" };
  }
  // The first event may be longer than what was looked at.
  return { kind: WATCH_BEGIN.test(begin) ? "watch-stream" : "json" };
}

const WATCH_BEGIN = /^\{\s*"type"\s*:\s*"(?:ADDED|MODIFIED|DELETED|BOOKMARK|ERROR)"\s*,\s*"object"\s*:/;
const WATCH_TYPES: ReadonlySet<string> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

function recogniseByName(name: string): Recognised | null {
  return LOG_NAME.test(plainName(name)) ? { kind: "log" } : null;
}

function recogniseYaml(name: string, lines: readonly string[]): Recognised | null {
  if (/\.ya?ml$/.test(plainName(name))) return { kind: "yaml" };
  // A text of any name whose lines at the margin are all those of YAML, as standard input has none.
  const margin = lines.filter((line) => /^[^\s#]/.test(line));
  const isYaml = margin.length > 0 && margin.every((line) => YAML_LINE.test(line));
  return isYaml && lines.some((line) => /^(?:apiVersion|kind|swagger|openapi|items):/.test(line))
    ? { kind: "yaml" }
    : null;
}

/** The first field of a gnostic Document is its version as text: `2.0`, `3.0.0`. */
function recogniseProtobuf(head: Buffer): Recognised | null {
  if (head[0] !== 0x0a) return null;
  const length = head[1] ?? 0;
  if (length < 3 || length > 16) return null;
  const version = head.toString("latin1", 2, 2 + length);
  if (!/^[23]\.\d+(?:\.\d+)?$/.test(version)) return null;
  return { kind: "openapi-protobuf", version: version.startsWith("2") ? "v2" : "v3" };
}

function isUtf16(head: Buffer): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not whole, or none: told by the next look.
    return undefined;
  }
}

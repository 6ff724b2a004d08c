import pino, { type DestinationStream } from "pino";
import { readEnv } from "./env.ts";
import { redact } from "./kube/redact.ts";

/** Deepest member of a logged object that is written; below it a log line helps nobody. */
const MAX_DEPTH = 8;
/** Names whose value is a credential whatever it looks like. */
const CREDENTIAL_NAMES =
  /^(?:.*(?:token|password|passwd|secret|authorization|cookie|api[-_]?key|private[-_]?key|client[-_]?key(?:[-_]?data)?))$/i;

/**
 * A copy of what is to be logged in which every string went through the redactor and members named like credentials
 * are replaced. Errors become their class, message, code, stack and cause. Cycles and depth are cut.
 */
export function redactDeep(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redact(value);
  if (value === null || typeof value !== "object") return typeof value === "function" ? undefined : value;
  if (depth >= MAX_DEPTH) return "[deeper]";
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof URL) return redact(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((each) => redactDeep(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      CREDENTIAL_NAMES.test(name) && member !== null && member !== undefined
        ? "[redacted]"
        : redactDeep(member, depth + 1),
    ]),
  );
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  return {
    type: error.name,
    message: redact(error.message),
    ...code,
    stack: redact(error.stack ?? ""),
    ...(error.cause === undefined ? {} : { cause: redactDeep(error.cause, depth + 1) }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Writes one JSON line per call. Fields worth having: `cluster`, `part`, `durationSeconds`, `requestId`, `err`. */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** A logger whose lines all hold these fields as well. */
  child(fields: Fields): Logger;
}

export interface LoggerOptions {
  /** Default: the variable `LOG_LEVEL`, else `info`. */
  readonly level?: string;
  /** Default: standard error, written at once, so that nothing is lost when the process ends. */
  readonly destination?: DestinationStream;
}

/**
 * JSON lines: `level` as a word, `time` in ISO form, `process`, `msg`, and the fields given. Nothing that looks like a
 * credential is written, wherever it stands.
 */
export function createLogger(process: "web" | "collector" | "cli", options: LoggerOptions = {}): Logger {
  const sink = pino(
    {
      level: options.level ?? readEnv().LOG_LEVEL,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Errors are turned into plain members below; pino's own serializer would not redact them.
      serializers: { err: (error: unknown) => error },
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
  return withFields(sink, {});
}

type Level = "debug" | "info" | "warn" | "error";

function withFields(sink: pino.Logger, bound: Fields): Logger {
  const write = (level: Level) => (message: string, fields?: Fields) => {
    // Redacting costs; a line below the level is not made at all.
    if (sink.isLevelEnabled(level)) {
      sink[level]({ ...bound, ...(fields === undefined ? {} : redactFields(fields)) }, redact(message));
    }
  };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    child: (fields) => withFields(sink, { ...bound, ...redactFields(fields) }),
  };
}

function redactFields(fields: Fields): Fields {
  const redacted = redactDeep(fields);
  return typeof redacted === "object" && redacted !== null ? { ...redacted } : {};
}

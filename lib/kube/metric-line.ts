import type { MetricSample } from "./metrics-scanner.ts";

/**
 * Reads what follows the name on one line of the Prometheus text format (or OpenMetrics): labels, value, timestamp.
 * An exemplar after ` # ` is left out.
 *
 * @param name the metric name, already read
 * @param rest the line from just after the name
 * @returns null where the line is malformed
 */
export function parseMetricLine(name: string, rest: string): MetricSample | null {
  const labels: Record<string, string> = {};
  let at = skipBlanks(rest, 0);
  if (rest[at] === "{") {
    at = readLabels(rest, at + 1, labels);
    if (at < 0) return null;
    at = skipBlanks(rest, at);
  }
  const valueEnd = findBlank(rest, at);
  const value = parseValue(rest.slice(at, valueEnd));
  if (value === null) return null;
  at = skipBlanks(rest, valueEnd);
  if (at >= rest.length || rest[at] === "#") return { name, labels, value, timestamp: null };
  const timestampEnd = findBlank(rest, at);
  const timestamp = parseValue(rest.slice(at, timestampEnd));
  at = skipBlanks(rest, timestampEnd);
  if (timestamp === null || !Number.isFinite(timestamp) || (at < rest.length && rest[at] !== "#"))
    return null;
  return { name, labels, value, timestamp };
}

/** Fills `labels` from just after the opening brace; returns the offset after the closing one, or -1. */
function readLabels(text: string, from: number, labels: Record<string, string>): number {
  let at = skipBlanks(text, from);
  while (text[at] !== "}") {
    const nameStart = at;
    while (isNameCharacter(text.charCodeAt(at))) at++;
    const label = text.slice(nameStart, at);
    at = skipBlanks(text, at);
    if (label === "" || text[at] !== "=") return -1;
    at = skipBlanks(text, at + 1);
    if (text[at] !== '"') return -1;
    const valueStart = at + 1;
    const valueEnd = findClosingQuote(text, valueStart);
    if (valueEnd < 0) return -1;
    labels[label] = undoEscapes(text.slice(valueStart, valueEnd));
    at = skipBlanks(text, valueEnd + 1);
    if (text[at] === ",") at = skipBlanks(text, at + 1);
    else if (text[at] !== "}") return -1;
  }
  return at + 1;
}

function findClosingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++;
  }
  return -1;
}

/** Undoes `\\`, `\"` and `\n`; any other backslash stays, as Prometheus reads it. */
function undoEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\([\\"n])/g, (_, character: string) => (character === "n" ? "\n" : character));
}

/** A number as Go prints it, or null. */
function parseValue(text: string): number | null {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return Number(text);
  switch (text.toLowerCase()) {
    case "nan":
      return Number.NaN;
    case "inf":
    case "+inf":
      return Number.POSITIVE_INFINITY;
    case "-inf":
      return Number.NEGATIVE_INFINITY;
    default:
      return null;
  }
}

function isNameCharacter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f
  );
}

/** A carriage return counts as a blank: some proxies add one. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function findBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isBlank(text.charCodeAt(at))) at++;
  return at;
}

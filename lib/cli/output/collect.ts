import type { OncePass } from "../../collector/scrape-once.ts";
import { joinOwnSeats } from "../../domain/clusters/own-seats.ts";
import type { PartOutcome, PartStatus } from "../../domain/clusters/part.ts";
import { formatBytes } from "../../format/bytes.ts";
import { formatOwnSeats } from "../../format/own-seats.ts";
import { printable, type Style } from "./style.ts";

/** Everything was read. */
const READ = 0;
/** A cluster could not be read, or only in part. */
const READ_IN_PART = 3;

/** The exit code of passes: 3 where any part of any cluster is missing anything. */
export function collectExitCode(passes: readonly OncePass[]): number {
  return passes.every(({ outcomes }) => outcomes.every(({ status }) => status === "ok"))
    ? READ
    : READ_IN_PART;
}

/** What a pass read and what it cost, in lines. `isQuiet` leaves the parts out that were read whole. */
export function formatCollectText(
  passes: readonly OncePass[],
  { style, isQuiet }: { readonly style: Style; readonly isQuiet: boolean },
): readonly string[] {
  return passes.flatMap((pass, index) => {
    const parts = pass.outcomes.filter(({ status }) => !isQuiet || status !== "ok");
    const widths = columnWidths(parts);
    return [
      ...(index === 0 ? [] : [""]),
      `${style.bold(printable(pass.cluster))}  ${printable(pass.server)}`,
      ...(pass.isInsecure
        ? [style.yellow("  the certificate of the API server is not checked (insecure-skip-tls-verify)")]
        : []),
      ...parts.flatMap((outcome) => formatPart(outcome, widths, style)),
      style.dim(
        `  ${pass.requests} requests, ${bytesText(pass.wireBytes)} on the wire (${bytesText(pass.decodedBytes)} unpacked), ${formatSeconds(pass.durationSeconds)}, ${seatsText(pass.outcomes)}`,
      ),
    ];
  });
}

/** The complete form: one object, with what each part read. Field names are stable within `schemaVersion`. */
export function formatCollectJson(passes: readonly OncePass[], version: string): string {
  return JSON.stringify(
    {
      schemaVersion: 1,
      tool: { name: "headroom", version },
      clusters: passes.map(({ result, values, outcomes, startedAt, ...rest }) => ({
        ...rest,
        startedAt: new Date(startedAt).toISOString(),
        permissions: Object.fromEntries(
          Object.entries(result.permissions).map(([id, { state }]) => [id, state]),
        ),
        parts: outcomes.map((outcome) => ({
          ...outcome,
          startedAt: new Date(outcome.startedAt).toISOString(),
          value: values[outcome.part] ?? null,
        })),
      })),
    },
    null,
    2,
  );
}

interface Widths {
  readonly part: number;
  readonly requests: number;
  readonly bytes: number;
}

function columnWidths(outcomes: readonly PartOutcome[]): Widths {
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  return {
    part: longest(outcomes.map(({ part }) => part)),
    requests: longest(outcomes.map(({ requests }) => String(requests))),
    bytes: longest(outcomes.map(({ wireBytes }) => bytesText(wireBytes))),
  };
}

function formatPart(outcome: PartOutcome, widths: Widths, style: Style): readonly string[] {
  const { part, status, requests, wireBytes, durationSeconds, answer, notRead } = outcome;
  const cost = [
    `${String(requests).padStart(widths.requests)} ${requests === 1 ? "request " : "requests"}`,
    bytesText(wireBytes).padStart(widths.bytes),
    formatSeconds(durationSeconds).padStart(7),
  ].join("  ");
  return [
    `  ${part.padEnd(widths.part)}  ${colourOf(status, style)(status.padEnd(7))}  ${style.dim(cost)}  ${printable(answer)}`,
    // The answer of a part that failed is its failure already.
    ...(status === "failed" || status === "skipped" ? [] : notRead).map(({ what, failure }) =>
      style.yellow(`  ${"".padEnd(widths.part)}  not read: ${printable(`${what}: ${failure.message}`)}`),
    ),
  ];
}

function colourOf(status: PartStatus, style: Style): (text: string) => string {
  switch (status) {
    case "ok":
      return style.green;
    case "partial":
    case "skipped":
      return style.yellow;
    case "failed":
      return style.red;
    default: {
      const never: never = status;
      throw new Error(`unknown status ${String(never)}`);
    }
  }
}

/** What the pass cost in seats, as the API server's version prices its requests. */
function seatsText(outcomes: readonly PartOutcome[]): string {
  return formatOwnSeats(joinOwnSeats(outcomes.map(({ seats }) => seats))).replace(/\s/g, " ");
}

/** With plain blanks: a terminal's reader searches and splits by them. */
function bytesText(bytes: number): string {
  return formatBytes(bytes).replace(/\s/g, " ");
}

function formatSeconds(seconds: number): string {
  return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import { parseVersion } from "../../domain/kubernetes/version.ts";

/** Kubernetes version of a flag, as it was written. */
export function parseVersionFlag(text: string): string {
  if (parseVersion(text) === null) {
    throw new InvalidArgumentError("expected a Kubernetes version such as 1.36 or 1.34.2");
  }
  return text.trim();
}

/** A whole number in decimal digits, `least` at least and `most` at most. */
export const countFlag =
  (least = 0, most: number = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(value >= least)) throw new InvalidArgumentError(`expected a whole number of at least ${least}`);
    if (value > most) throw new InvalidArgumentError(`expected a whole number of at most ${most}`);
    return value;
  };

/** Seconds up to eleven days, and rates: beyond, nothing is counted to the microsecond any more. */
export const MOST_SECONDS = 1_000_000;

/** Seconds, with decimals where wanted. */
export function parseSecondsFlag(text: string): number {
  const value = numberOf(text);
  if (!(value >= 0)) throw new InvalidArgumentError("expected a number of seconds of at least 0");
  if (value > MOST_SECONDS)
    throw new InvalidArgumentError(`expected a number of seconds of at most ${MOST_SECONDS}`);
  return value;
}

export function parsePositiveFlag(text: string): number {
  const value = numberOf(text);
  if (!(value > 0)) throw new InvalidArgumentError("expected a number above 0");
  if (value > MOST_SECONDS) throw new InvalidArgumentError(`expected a number of at most ${MOST_SECONDS}`);
  return value;
}

/** NaN for what is not written as a decimal number. */
const numberOf = (text: string): number =>
  /^-?\d*\.?\d+(?:e[-+]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN;

export function parseSwitchFlag(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("expected true or false");
}

/** `NAME=true`, gathered over repeated flags. */
export function parseGateFlag(
  text: string,
  before: Readonly<Record<string, boolean>> = {},
): Readonly<Record<string, boolean>> {
  const match = /^([A-Za-z][A-Za-z0-9]*)=(true|false)$/.exec(text.trim());
  if (match === null) throw new InvalidArgumentError("expected NAME=true or NAME=false");
  return { ...before, [match[1] ?? ""]: match[2] === "true" };
}

/** Text of a flag that may be given again. */
export const collectTexts = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
];

/** Examples below everything else, unwrapped: a command that is broken over lines cannot be pasted. */
export const withExamples = (command: Command, examples: readonly string[]): Command =>
  command.addHelpText("after", ["", "Examples:", ...examples.map((each) => `  ${each}`)].join("\n"));

/** `--output` and `--input`, which every command that answers many questions has; `sets`: whose fields lines have. */
export function withAnswerOptions(command: Command, ...sets: readonly string[]): Command {
  return command
    .option(
      "--input <file>",
      `answer many: one JSON object a line in (- is standard input), one a line out; fields: above, as in ${sets.join(", ")} of lib/vectors`,
    )
    .addOption(
      new Option("--output <format>", "form of what is printed").choices(["text", "json"]).default("text"),
    );
}

/**
 * With `--input` the lines are the questions: no other flag has a place beside it, and answers are JSON. Returns a
 * sentence where that is not kept.
 */
export function misplacedBesideInput(command: Command): string | null {
  const misplaced = command.options
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .filter(({ long }) => long !== "--input")
    .filter((option) => option.long !== "--output" || command.opts().output !== "json")
    .map(({ long }) => long);
  if (misplaced.length === 0) return null;
  return `${misplaced.join(", ")}: not with --input, where each line is a question of its own and answers are JSON.`;
}

/** A sentence about those of the flags that were given, and why they have no place; `null` where none was. */
export function misplacedFlags(command: Command, flags: readonly string[], why: string): string | null {
  const given = command.options
    .filter(({ long }) => long !== undefined && long !== null && flags.includes(long))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === "cli")
    .map(({ long }) => long);
  return given.length === 0 ? null : `${given.join(", ")}: ${why}.`;
}

/** A sentence about flags that are needed and missing, or `null`. */
export function missingFlags(flags: Readonly<Record<string, unknown>>): string | null {
  const missing = Object.entries(flags)
    .filter(([, value]) => value === undefined)
    .map(([name]) => name);
  if (missing.length === 0) return null;
  return `Missing ${missing.join(" and ")}. Questions one a line: --input FILE. All flags: --help.`;
}

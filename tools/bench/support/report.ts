import type { Figure } from "./figure.ts";

/** How a bench hands its figures to `main.ts`: one line of JSON on standard output. Anything else is for people. */
export interface FiguresLine {
  readonly figures: readonly Figure[];
  /** What a reader has to know beside the figures. */
  readonly notes: readonly string[];
}

export function report(figures: readonly Figure[], notes: readonly string[] = []): void {
  process.stdout.write(`${JSON.stringify({ figures, notes } satisfies FiguresLine)}\n`);
}

export const progress = (text: string) => void process.stderr.write(`    ${text}\n`);

import {
  applyRemedies,
  applyRemedy,
  describeRemedy,
  formatRemedy,
  parseRemedy,
  type RemedyAnswer,
  type RemedySpec,
  type StartFigures,
  startFigures,
  usualRemedies,
} from "../storm/remedies/index.ts";
import type { StormInput } from "../storm/storm-input.ts";

/** A change that is offered, and what it makes of a storm. */
export interface OfferedRemedy {
  /** As `parseRemedy` reads it. */
  readonly id: string;
  readonly title: string;
  /** What is lost or has to be borne, one sentence. */
  readonly costs: string;
  readonly answer: RemedyAnswer;
}

/** Jitter has a control of its own. */
const HAS_CONTROL: readonly RemedySpec["name"][] = ["start-jitter"];

/** Every remedy by itself on a storm, with its usual parameters. */
export function offerRemedies(input: StormInput): readonly OfferedRemedy[] {
  return usualRemedies()
    .filter(({ name }) => !HAS_CONTROL.includes(name))
    .map((spec) => ({
      id: formatRemedy(spec),
      ...describeRemedy(spec),
      answer: applyRemedy(input, spec),
    }));
}

export interface RemediedStorm {
  readonly input: StormInput;
  /** Those that changed it, in their order. */
  readonly applied: readonly string[];
  /** Those that did not, and why; one sentence each. */
  readonly skipped: readonly string[];
  readonly assumptions: readonly string[];
}

/** Several remedies one after the other; what does not apply is left out and said, and what is no remedy too. */
export function applyChosen(input: StormInput, ids: readonly string[]): RemediedStorm {
  const skipped: string[] = [];
  const applied: string[] = [];
  const assumptions: string[] = [];
  let changed = input;
  for (const id of new Set(ids)) {
    const spec = readRemedy(id);
    if (spec === null) {
      skipped.push("The address names a remedy that there is not.");
      continue;
    }
    const answer = applyRemedies(changed, [spec]);
    if (!answer.isApplicable) {
      skipped.push(answer.reason);
      continue;
    }
    changed = answer.input;
    applied.push(id);
    assumptions.push(...answer.assumptions);
  }
  return { input: changed, applied, skipped, assumptions };
}

/** `null`: it is none. */
function readRemedy(id: string): RemedySpec | null {
  try {
    return parseRemedy(id);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** What the first requests of one copy come to. */
export interface StartOfCopy {
  readonly seats: number;
  /** In answers. */
  readonly bytes: number;
}

export function startOfCopy(input: StormInput): StartOfCopy {
  const { copies, seats, wireBytes }: StartFigures = startFigures(input);
  return copies === 0 ? { seats: 0, bytes: 0 } : { seats: seats / copies, bytes: wireBytes / copies };
}

/** A bounded search for the largest whole number at which something still holds. */
export interface BoundaryQuestion {
  /** Smallest and largest number asked for. */
  readonly low: number;
  readonly high: number;
  /** Where the boundary is likely to be, from a cheap estimate. */
  readonly guess: number;
  /** Asked at most `budget` times, never twice for one number. */
  readonly holds: (value: number) => boolean;
  readonly budget: number;
}

export interface BoundaryAnswer {
  /** Largest number that held with all tried below it holding; `null`: not even the smallest. */
  readonly holdsAt: number | null;
  /** Smallest number tried above it: there it does not hold. `null`: it holds up to the largest asked for. */
  readonly failsAt: number | null;
  readonly tried: number;
  /** Whether nothing is left between the two, and what was tried below held. Else the boundary lies between them. */
  readonly isExact: boolean;
}

/** Of the boundary: where below it is tried again, since more can do what less does not. */
const VERIFIED_SHARES = [0.9, 0.75, 0.5];

/**
 * Doubles or halves from the guess until the boundary is between two numbers, halves the gap, then tries below: what
 * holds for a number need not hold for all smaller ones. One that fails there becomes the upper end, and the search goes
 * on below it. A third of the budget is kept for that. Deterministic.
 */
export function searchBoundary(question: BoundaryQuestion): BoundaryAnswer {
  const { low, high, holds, budget } = question;
  const known = new Map<number, boolean>();
  const isLeft = (kept: number) => known.size < budget - kept;
  const ask = (value: number): boolean => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const answer = holds(value);
    known.set(value, answer);
    return answer;
  };
  const clamp = (value: number) => Math.min(high, Math.max(low, Math.round(value)));
  const kept = Math.floor(budget / 3);
  let failsAt: number | null = null;
  let from = clamp(question.guess);
  for (;;) {
    const bracket = bracketOf(from, failsAt);
    const holdsAt = bracket.holdsAt;
    failsAt = bracket.failsAt;
    if (holdsAt === null) return answerOf(null, failsAt, known);
    const fault = VERIFIED_SHARES.map((share) => clamp(share * holdsAt)).find(
      (value) => value < holdsAt && (known.has(value) || isLeft(0)) && !ask(value),
    );
    if (fault === undefined) return answerOf(holdsAt, failsAt, known);
    failsAt = fault;
    if (fault <= low) return answerOf(null, failsAt, known);
    from = clamp(fault / 2);
    if (!known.has(from) && !isLeft(0)) return answerOf(bestBelow(fault), failsAt, known);
  }

  /** Largest that is known to hold below a number, with nothing known to fail below it. */
  function bestBelow(value: number): number | null {
    let best: number | null = null;
    for (const [each, answer] of [...known].sort(([a], [b]) => a - b)) {
      if (each >= value || !answer) return best;
      best = each;
    }
    return best;
  }

  function bracketOf(start: number, above: number | null): Pick<BoundaryAnswer, "holdsAt" | "failsAt"> {
    let holdsAt: number | null = null;
    let fails = above;
    let value = start;
    if (ask(value)) {
      holdsAt = value;
      while (fails === null && value < high && isLeft(kept)) {
        value = clamp(Math.max(value + 1, value * 2));
        if (ask(value)) holdsAt = value;
        else fails = value;
      }
    } else {
      fails = value;
      while (holdsAt === null && value > low && isLeft(0)) {
        value = clamp(Math.min(value - 1, value / 2));
        if (ask(value)) holdsAt = value;
        else fails = value;
      }
    }
    while (holdsAt !== null && fails !== null && fails - holdsAt > 1 && isLeft(kept)) {
      const middle = Math.floor((holdsAt + fails) / 2);
      if (ask(middle)) holdsAt = middle;
      else fails = middle;
    }
    return { holdsAt, failsAt: fails };
  }

  function answerOf(
    holdsAt: number | null,
    fails: number | null,
    answers: ReadonlyMap<number, boolean>,
  ): BoundaryAnswer {
    const isClosed =
      holdsAt === null ? fails === low : fails === null ? holdsAt === high : fails - holdsAt === 1;
    const isWhole = holdsAt === null || ![...answers].some(([value, answer]) => value < holdsAt && !answer);
    return { holdsAt, failsAt: fails, tried: answers.size, isExact: isClosed && isWhole };
  }
}

/**
 * A thing this machine may lack. An expected outcome, so a value and not an exception: a test runner prints
 * `skipLine` and goes on.
 */
export type Availability<T> =
  | { readonly available: true; readonly value: T }
  | { readonly available: false; readonly because: string; readonly howToGet: string };

export function present<T>(value: T): Availability<T> {
  return { available: true, value };
}

export function absent(because: string, howToGet: string): Availability<never> {
  return { available: false, because, howToGet };
}

/** One line for a person: what is left out, why, and how to get it. */
export function skipLine(missing: { readonly because: string; readonly howToGet: string }): string {
  return `real API server: not available, because ${missing.because}. To get it: ${missing.howToGet}.`;
}

/** Thrown where a missing test bed can no longer be a skip: a control plane was asked for outright. */
export class TestBedUnavailableError extends Error {
  constructor(missing: { readonly because: string; readonly howToGet: string }) {
    super(skipLine(missing));
    this.name = "TestBedUnavailableError";
  }
}

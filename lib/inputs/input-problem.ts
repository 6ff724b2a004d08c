/** An input, or a part of one, that cannot be read: which file, where in it, and what was expected there. */
export interface InputProblem {
  /** As people named it; `-` is standard input. */
  readonly file: string;
  /** From 1; `null` where it is the whole file. */
  readonly line: number | null;
  readonly column: number | null;
  /** To follow the place: `expected valid YAML: …`. */
  readonly message: string;
}

/** Something that was looked at and is not read; no fault of it. */
export interface SkippedInput {
  readonly file: string;
  readonly reason: string;
}

/** Thrown by readers of one input, caught by whoever reads many. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly line: number | null;
  readonly column: number | null;

  constructor(message: string, line: number | null = null, column: number | null = null) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** `manifests.yaml:3:5: expected …`; a name holds nothing that a terminal obeys. */
export function describeInputProblem({ file, line, column, message }: InputProblem): string {
  const place = [file, ...(line === null ? [] : [line]), ...(column === null ? [] : [column])].join(":");
  return `${place}: ${message}`;
}

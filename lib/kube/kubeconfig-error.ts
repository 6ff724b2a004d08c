/** Where in a kubeconfig something is wrong, and what was expected there. */
export interface KubeconfigErrorFields {
  readonly file: string;
  /** Line in the file, from 1; null where none can be named. */
  readonly line: number | null;
  /** `context "prod"`, `users[2].user.exec.command`; null for the file as a whole. */
  readonly place: string | null;
  readonly expected: string;
}

/** A kubeconfig that cannot be used. The message names file, line, place and expectation, never a value. */
export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  readonly file: string;
  readonly line: number | null;
  readonly place: string | null;
  readonly expected: string;

  constructor(fields: KubeconfigErrorFields) {
    const at = fields.line === null ? fields.file : `${fields.file}:${fields.line}`;
    super(`${at}: ${fields.place === null ? "" : `${fields.place}: `}${fields.expected}`);
    this.file = fields.file;
    this.line = fields.line;
    this.place = fields.place;
    this.expected = fields.expected;
  }

  toJSON(): KubeconfigErrorFields & { readonly message: string } {
    const { file, line, place, expected, message } = this;
    return { file, line, place, expected, message };
  }
}

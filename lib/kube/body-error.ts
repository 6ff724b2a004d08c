/** What is wrong with a body, before it is known which request it belongs to. */
export type BodyErrorReason = "bad-body" | "truncated" | "too-large";

/**
 * A body that is not what it should be. Thrown by the readers of this folder, and turned into an `ApiServerError` by
 * the client, which redacts the message: it may quote the body.
 */
export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly reason: BodyErrorReason;

  constructor(reason: BodyErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

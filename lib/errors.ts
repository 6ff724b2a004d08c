/** Closed set of what can go wrong between a reader of Headroom and its store or services. */
export const APP_ERROR_CODES = [
  "invalid-input",
  "not-found",
  "conflict",
  "forbidden",
  "store-unavailable",
  "store-read-only",
  "store-full",
  "store-corrupt",
  "store-newer",
  "stored-value-unreadable",
  "unsupported",
  "internal",
] as const;
export type AppErrorCode = (typeof APP_ERROR_CODES)[number];

/**
 * An error with a message for people; `cause` is for logs only. An error of any other class never shows its own
 * message outside the process.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: AppErrorCode;
  /** Which input, where in it, and what was expected; empty where there is no input to name. */
  readonly issues: readonly { readonly where: string; readonly expected: string }[];

  constructor(
    code: AppErrorCode,
    message: string,
    options: { cause?: unknown; issues?: readonly { where: string; expected: string }[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.issues = options.issues ?? [];
  }
}

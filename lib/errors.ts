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
  "store-replaced",
  "store-newer",
  "stored-value-unreadable",
  "unsupported",
  "internal",
] as const;
export type AppErrorCode = (typeof APP_ERROR_CODES)[number];

/** Shared by every copy of this module in a process. */
const BRAND = Symbol.for("headroom.AppError");

/**
 * An error with a message for people; `cause` is for logs only. An error of any other class never shows its own
 * message outside the process. `instanceof` knows it by a brand: the web server has this module in several bundles, and the
 * store throws the class of another one than the route that catches it.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly [BRAND] = true;
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

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

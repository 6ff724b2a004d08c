import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import type { Problem } from "../../contracts/common.ts";
import { AppError, type AppErrorCode } from "../../errors.ts";
import { RequestRefused } from "./request-refused.ts";

const STATUS: Readonly<Record<AppErrorCode, number>> = {
  "invalid-input": 400,
  forbidden: 403,
  "not-found": 404,
  conflict: 409,
  internal: 500,
  "store-corrupt": 500,
  "stored-value-unreadable": 500,
  unsupported: 501,
  "store-unavailable": 503,
  "store-replaced": 503,
  "store-read-only": 503,
  "store-newer": 503,
  "store-full": 507,
};

/** Short enough to be read out, long enough to be found in a log of a year. */
export function makeRequestId(): string {
  return randomUUID().slice(0, 13);
}

/** Input that does not parse, with where and what was expected; the value itself is not repeated. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
  readonly issues: readonly { readonly where: string; readonly expected: string }[];

  constructor(part: "path" | "query" | "body", error: z.ZodError) {
    super(`The ${part} of the request is not as expected.`);
    this.issues = flatten(error.issues).map(({ path, message }) => ({
      where: [part, ...path.map(String)].join("."),
      expected: message,
    }));
  }
}

/** A union that matched nowhere is told by what each of its members asked for. */
function flatten(issues: readonly z.core.$ZodIssue[]): readonly { path: PropertyKey[]; message: string }[] {
  return issues.flatMap((issue) =>
    issue.code === "invalid_union" && issue.errors.length > 0
      ? flatten(issue.errors.flat()).map((each) => ({ ...each, path: [...issue.path, ...each.path] }))
      : [{ path: issue.path, message: issue.message }],
  );
}

/**
 * The one place in which an error becomes an RFC 9457 problem document. An error that is none of ours keeps its words
 * to itself: they may hold a path, a query or worse.
 */
export function toProblem(error: unknown, requestId: string): Problem {
  if (error instanceof RequestRefused) return problem(error.status, error.code, error.message, requestId);
  if (error instanceof InvalidRequest) {
    return problem(400, "invalid-input", error.message, requestId, error.issues);
  }
  if (error instanceof AppError) {
    return problem(STATUS[error.code], error.code, error.message, requestId, error.issues);
  }
  return problem(
    500,
    "internal",
    `Something failed that should not. The log of the web process says more under request ${requestId}.`,
    requestId,
  );
}

function problem(
  status: number,
  code: string,
  detail: string,
  requestId: string,
  issues: Problem["issues"] | readonly { readonly where: string; readonly expected: string }[] = [],
): Problem {
  return {
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail,
    code,
    requestId,
    ...(issues.length === 0 ? {} : { issues: issues.map((each) => ({ ...each })) }),
  };
}

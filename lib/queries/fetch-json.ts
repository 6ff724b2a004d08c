import type { z } from "zod";
import { ProblemSchema } from "../contracts/common.ts";

/** What the browser knows of a failed request: for people `message`, for whoever looks it up `code` and `requestId`. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly issues: readonly { readonly where: string; readonly expected: string }[];

  constructor(options: {
    message: string;
    code: string;
    status?: number | null;
    requestId?: string | null;
    issues?: readonly { readonly where: string; readonly expected: string }[];
    cause?: unknown;
  }) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.status = options.status ?? null;
    this.requestId = options.requestId ?? null;
    this.issues = options.issues ?? [];
  }
}

interface JsonRequest<Schema extends z.ZodType> {
  readonly path: string;
  readonly schema: Schema;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/**
 * Asks Headroom's own server and parses the answer. The browser's cache does the revalidation by ETag.
 * @throws ProblemError when there is no answer, a problem document, or an answer of another shape.
 */
export async function fetchJson<Schema extends z.ZodType>(
  request: JsonRequest<Schema>,
): Promise<z.output<Schema>> {
  const response = await send(request);
  const body: unknown = response.status === 204 ? null : await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(response, body);
  const parsed = request.schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new ProblemError({
    code: "unexpected-answer",
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    message: `The answer to ${request.path} is not what this page expects. It may be of another release: reload the page.`,
    cause: parsed.error,
  });
}

async function send(request: JsonRequest<z.ZodType>): Promise<Response> {
  const { path, method = "GET", body, signal } = request;
  try {
    return await fetch(path, {
      method,
      headers:
        body === undefined
          ? { accept: "application/json" }
          : { accept: "application/json", "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ProblemError({
      code: "no-answer",
      message: "Headroom's own server does not answer. What is shown was received before.",
      cause,
    });
  }
}

function problemOf(response: Response, body: unknown): ProblemError {
  const problem = ProblemSchema.safeParse(body);
  if (problem.success) {
    const { detail, code, status, requestId, issues } = problem.data;
    return new ProblemError({
      message: detail,
      code,
      status,
      requestId,
      ...(issues === undefined ? {} : { issues }),
    });
  }
  return new ProblemError({
    code: `http-${response.status}`,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    message: `Headroom's own server answered ${response.status} without saying why.`,
  });
}

/** True where asking again may help: no answer, or the server's own trouble; never what the request itself got wrong. */
export function isWorthRetrying(error: unknown): boolean {
  return !(error instanceof ProblemError) || error.status === null || error.status >= 500;
}

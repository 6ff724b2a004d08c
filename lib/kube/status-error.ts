import { z } from "zod";
import type { ApiServerErrorReason } from "./api-server-error.ts";
import { withoutUserInfo } from "./redact.ts";
import { parseRetryAfter } from "./retry.ts";

/** What an API server sends instead of what was asked for. */
const StatusSchema = z.object({
  kind: z.literal("Status"),
  message: z.string().nullish(),
  reason: z.string().nullish(),
  details: z.object({ retryAfterSeconds: z.number().int().nonnegative().nullish() }).nullish(),
});

/** An answer that is no success, in words. The detail holds foreign text. */
export interface StatusFailure {
  readonly reason: ApiServerErrorReason;
  readonly detail: string;
  readonly retryAfterSeconds: number | null;
}

/** Answers of the status code where the server says no more. */
const TITLES: Readonly<Record<number, string>> = {
  400: "the API server does not understand the request",
  401: "the credentials were refused",
  403: "this is not permitted",
  404: "there is no such thing",
  406: "the API server cannot answer in this form",
  410: "the continue token or resourceVersion has expired",
  429: "the API server has no room for the request",
  500: "the API server failed",
  502: "what stands in front of the API server failed",
  503: "the API server is not available",
  504: "the API server did not finish in time",
};

/**
 * Reads an answer that is no success. Pure.
 *
 * @param text beginning of the body, empty where it could not be read
 * @param now milliseconds since the epoch
 */
export function describeStatus(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
  now: number,
): StatusFailure {
  if (status >= 300 && status < 400) {
    const to = headers.location === undefined ? "nowhere" : shownLocation(headers.location);
    return {
      reason: "redirect",
      detail: `redirected to ${to}, which is not followed`,
      retryAfterSeconds: null,
    };
  }
  const parsed = parseStatus(text);
  const title = TITLES[status] ?? (status >= 500 ? "the API server failed" : "the request was refused");
  const said = parsed?.message ?? (isMarkup(text) ? "" : text.trim());
  return {
    reason: reasonOf(status),
    detail: said === "" ? title : `${title}: ${said}`,
    retryAfterSeconds:
      parseRetryAfter(headers["retry-after"], now) ?? parsed?.details?.retryAfterSeconds ?? null,
  };
}

function reasonOf(status: number): ApiServerErrorReason {
  switch (status) {
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not-found";
    case 410:
      return "gone";
    case 429:
      return "throttled";
    default:
      return status >= 500 ? "server-error" : status >= 400 ? "refused" : "bad-body";
  }
}

function parseStatus(text: string): z.output<typeof StatusSchema> | null {
  try {
    return StatusSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON: something else than an API server answered, or the body was cut.
    return null;
  }
}

/** A relative location stays as it is. */
function shownLocation(location: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(location) ? withoutUserInfo(location) : location;
}

function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

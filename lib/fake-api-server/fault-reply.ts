import type { Fault } from "./faults.ts";
import { jsonReply, type Reply, textReply } from "./reply.ts";
import { statusObject } from "./status.ts";

/** Faults that spoil a right answer while it is sent. */
export const isBodyFault = (fault: Fault | null): boolean =>
  fault !== null && ["truncate", "broken-gzip", "drip", "endless"].includes(fault.kind);

/** Replies that have nothing to do with what was asked; `null` where the right answer is needed first. */
export function faultReply(fault: Fault, path: string): Reply | null {
  switch (fault.kind) {
    case "status":
      return statusFault(fault, path);
    case "expired-continue": {
      const message = "The provided continue parameter is too old to display a consistent list result.";
      return jsonReply(statusObject({ code: 410, reason: "Expired", message }), 410);
    }
    case "html": {
      const page =
        "<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in</h1></body></html>\n";
      return textReply(page, 200, { "content-type": "text/html; charset=utf-8" });
    }
    case "invalid-json":
      return textReply('{"kind":"List","apiVersion":"v1","items":[{"metadata":{"name":"a"}},', 200, {
        "content-type": "application/json",
      });
    case "redirect":
      return textReply("", 302, { location: fault.location });
    default:
      return null;
  }
}

const REASONS: Readonly<Record<number, [reason: string, message: string]>> = {
  401: ["Unauthorized", "Unauthorized"],
  403: ["Forbidden", "forbidden"],
  404: ["NotFound", "the server could not find the requested resource"],
  410: ["Expired", "The resourceVersion for the provided list is too old."],
  429: ["TooManyRequests", "Too many requests, please try again later."],
  500: ["InternalError", "Internal error occurred: etcdserver: request timed out"],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "Timeout: request did not complete within the allotted timeout"],
};

function statusFault(fault: Extract<Fault, { kind: "status" }>, path: string): Reply {
  const { code } = fault;
  const [reason, text] = REASONS[code] ?? ["", `answer ${code}`];
  const message =
    fault.message ?? (code === 403 ? `forbidden: cannot get path ${JSON.stringify(path)}` : text);
  const wait = fault.retryAfterSeconds ?? (code === 429 ? 1 : null);
  const headers: Record<string, string> = wait === null ? {} : { "retry-after": String(wait) };
  // Flow control rejects in plain text, before any handler that knows of Status objects.
  if (code === 429) return textReply(`${message}\n`, 429, headers);
  return jsonReply(statusObject({ code, reason, message }), code, headers);
}

import { z } from "zod";
import type { ReadFailure, ReadFailureReason } from "../../domain/clusters/part.ts";
import { ApiServerError, toReadFailure } from "../../kube/index.ts";

/** Failures that concern the connection or the credential, not one path: nothing else can be read then. */
const WHOLE_CLUSTER: ReadonlySet<ReadFailureReason> = new Set([
  "unreachable",
  "tls",
  "timeout",
  "credentials",
  "unauthorized",
  "redirect",
]);

/** Whether reading on is pointless: no other path would fare better. */
export function isWholeCluster(failure: ReadFailure): boolean {
  return WHOLE_CLUSTER.has(failure.reason);
}

/** Whether the address cannot be used from here, whatever the path: another way to the server is worth a try. */
export function isAddressFailure(failure: ReadFailure): boolean {
  return failure.reason === "unreachable" || failure.reason === "timeout" || failure.reason === "tls";
}

/**
 * What a failed read is stored as; `null` where the error is not one of reading (a defect of ours) and has to go up.
 * A body that parsed as JSON but is not the object that was asked for counts as `bad-body`.
 */
export function findReadFailure(error: unknown, path: string | null): ReadFailure | null {
  if (error instanceof ApiServerError) return toReadFailure(error);
  if (error instanceof z.ZodError) {
    const issue = error.issues[0];
    const where = issue?.path.map(String).join(".") ?? "";
    return badBody(path, `not the object that was asked for (${where === "" ? "the object itself" : where})`);
  }
  if (error instanceof Error && error.name === "BodyError") return badBody(path, error.message);
  return null;
}

/** A server that a pass did not come to; no request failed. */
export function notMet(message: string): ReadFailure {
  return {
    reason: "unreachable",
    verb: null,
    path: null,
    status: null,
    message,
    retryAfterSeconds: null,
  };
}

function badBody(path: string | null, detail: string): ReadFailure {
  return {
    reason: "bad-body",
    verb: path === null ? null : "GET",
    path,
    status: path === null ? null : 200,
    message: path === null ? detail : `${detail} (GET ${path})`,
    retryAfterSeconds: null,
  };
}

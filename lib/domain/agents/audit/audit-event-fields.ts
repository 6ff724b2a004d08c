import type { AuditLatency, AuditObjectRef } from "../audit-event.ts";
import { parseGoDuration } from "./parse-duration.ts";

/**
 * Parts of an audit event from their parsed JSON, whatever it holds: what is not of the type it should be counts as
 * absent. Nothing else of the JSON is kept.
 */

/** What is taken of a user: never the rest of `extra`, which may hold whatever an authenticator put there. */
export interface AuditUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly podName: string | null;
  readonly nodeName: string | null;
}

export const NO_USER: AuditUser = { name: "", groups: [], podName: null, nodeName: null };

/** `null` where the value is no object. */
export function readAuditUser(value: unknown): AuditUser | null {
  if (!isObject(value)) return null;
  const { username, groups, extra } = value;
  return {
    name: textOf(username),
    groups: textsOf(groups),
    podName: boundName(extra, "pod-name"),
    nodeName: boundName(extra, "node-name"),
  };
}

/** Pod or node that a ServiceAccount token is bound to. Source: apiserver pkg/authentication/serviceaccount/util.go. */
function boundName(extra: unknown, key: string): string | null {
  if (!isObject(extra)) return null;
  const values = extra[`authentication.kubernetes.io/${key}`];
  return Array.isArray(values) && typeof values[0] === "string" ? values[0] : null;
}

export function readAuditObjectRef(value: unknown): AuditObjectRef | null {
  if (!isObject(value)) return null;
  const { apiGroup, apiVersion, resource, subresource, namespace, name } = value;
  return {
    apiGroup: textOf(apiGroup),
    apiVersion: textOf(apiVersion),
    resource: textOf(resource),
    subresource: textOf(subresource),
    namespace: textOf(namespace),
    name: textOf(name),
  };
}

export interface AuditResponse {
  readonly code: number | null;
  readonly reason: string | null;
}

export function readAuditResponse(value: unknown): AuditResponse {
  if (!isObject(value)) return { code: null, reason: null };
  const { code, reason } = value;
  return {
    code: typeof code === "number" ? code : null,
    reason: typeof reason === "string" && reason !== "" ? reason : null,
  };
}

/**
 * From the annotations. `null` where no part of the request's time is among them.
 * Source: apiserver pkg/endpoints/request/webhook_duration.go, `apf-queue-wait` from 1.31 on.
 */
export function readAuditLatency(value: unknown): AuditLatency | null {
  if (!isObject(value)) return null;
  const seconds = (part: string) => parseGoDuration(textOf(value[`apiserver.latency.k8s.io/${part}`]));
  const latency: AuditLatency = {
    totalSeconds: seconds("total"),
    queueWaitSeconds: seconds("apf-queue-wait"),
    etcdSeconds: seconds("etcd"),
    responseWriteSeconds: seconds("response-write"),
  };
  return Object.values(latency).some((each) => each !== null) ? latency : null;
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The strings of an array, others left out. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

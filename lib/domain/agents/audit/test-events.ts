import type { AuditEvent } from "../audit-event.ts";

/** A LIST of pods, answered; for tests, which say what is different. */
export function auditEvent(fields: Partial<AuditEvent> = {}): AuditEvent {
  return {
    auditId: `id-${counter++}`,
    stage: "ResponseComplete",
    verb: "list",
    requestUri: "/api/v1/pods",
    userName: "system:serviceaccount:logging:shipper",
    userGroups: ["system:serviceaccounts", "system:serviceaccounts:logging", "system:authenticated"],
    impersonatorName: null,
    podName: null,
    nodeName: null,
    sourceIps: ["192.0.2.1"],
    userAgent: "shipper/v0.0.0 (linux/amd64) kubernetes/$Format",
    objectRef: { apiGroup: "", apiVersion: "v1", resource: "pods", subresource: "", namespace: "", name: "" },
    responseCode: 200,
    responseReason: null,
    receivedAt: Date.UTC(2026, 2, 2, 9),
    stageAt: Date.UTC(2026, 2, 2, 9) + 20,
    latency: null,
    ...fields,
  };
}
let counter = 0;

/** An event as the API server writes it at level Metadata; `extra` fields stand where bodies do. */
export function auditLine(event: AuditEvent, extra: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify(auditObject(event, extra)).replaceAll("&", "\\u0026");
}

export function auditObject(
  event: AuditEvent,
  extra: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const bound = {
    ...(event.nodeName === null ? {} : { "authentication.kubernetes.io/node-name": [event.nodeName] }),
    ...(event.podName === null ? {} : { "authentication.kubernetes.io/pod-name": [event.podName] }),
  };
  const { objectRef } = event;
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: event.auditId,
    stage: event.stage,
    requestURI: event.requestUri,
    verb: event.verb,
    user: {
      username: event.userName,
      groups: event.userGroups,
      ...(Object.keys(bound).length === 0 ? {} : { extra: bound }),
    },
    sourceIPs: event.sourceIps,
    userAgent: event.userAgent,
    ...(objectRef === null
      ? {}
      : { objectRef: Object.fromEntries(Object.entries(objectRef).filter(([, text]) => text !== "")) }),
    ...(event.responseCode === null
      ? {}
      : {
          responseStatus: {
            metadata: {},
            code: event.responseCode,
            ...(event.responseReason === null ? {} : { status: "Failure", reason: event.responseReason }),
          },
        }),
    ...extra,
    requestReceivedTimestamp: microTime(event.receivedAt),
    stageTimestamp: microTime(event.stageAt),
    annotations: { "authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": "" },
  };
}

function microTime(ms: number | null): string | null {
  if (ms === null) return null;
  const whole = Math.floor(ms);
  const micros = Math.round((ms - whole) * 1000);
  return new Date(whole).toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`);
}

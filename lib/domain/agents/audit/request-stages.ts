import { AUDIT_STAGES, type AuditEvent } from "../audit-event.ts";
import { RecentKeys } from "./recent-keys.ts";

/** A power of two: watches that are open at once behind a large API server, and more. */
const LONG_REQUESTS = 65_536;

/** What an event is of its request: the one by which it is counted, its later end, or neither. */
export type StageRole = "counted" | "ended" | "announced";

/**
 * Makes one request of the events of its stages, in the order of the log: a WATCH counts when it starts (or when it
 * ends, where the log leaves out starts), everything else when it is answered. `RequestReceived` is no answer.
 */
export class RequestStages {
  readonly #started: RecentKeys;

  /** Ends of long requests are known while fewer than this many, a power of two, began later. */
  constructor(longRequests = LONG_REQUESTS) {
    this.#started = new RecentKeys(longRequests);
  }

  roleOf(event: AuditEvent): StageRole {
    switch (event.stage) {
      case "RequestReceived":
        return "announced";
      case "ResponseStarted":
        this.#started.add(event.auditId, arrivalKey(event));
        return "counted";
      case "ResponseComplete":
      case "Panic":
        return mayRunLong(event) && this.#started.has(event.auditId, arrivalKey(event)) ? "ended" : "counted";
    }
  }
}

/**
 * Nothing else has a start of its own: WATCH, proxied requests, and the subresources attach, exec, log, portforward and
 * proxy. Source: apiserver pkg/server/config.go and kubernetes cmd/kube-apiserver/app/options, v1.37.
 */
const mayRunLong = ({ verb, objectRef }: AuditEvent): boolean =>
  verb === "watch" ||
  verb === "proxy" ||
  verb === "connect" ||
  objectRef === null ||
  objectRef.subresource !== "";

/** All stages of a request have its arrival; a client that sends one Audit-ID again and again makes many requests. */
const arrivalKey = ({ receivedAt }: AuditEvent): number => microsecondKey(receivedAt);

/** The microseconds of an instant, 32 bits of them. */
const microsecondKey = (at: number | null): number => Math.round((at ?? 0) * 1000) | 0;

/** A copy of an event has its stage and its time too: clients choose the auditID, and some send one again and again. */
export const stageKey = ({ stage, stageAt }: AuditEvent): number =>
  (microsecondKey(stageAt) << 2) ^ AUDIT_STAGES.indexOf(stage);

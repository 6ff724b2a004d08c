/** What can be recorded as having changed. */
export const EVENT_KINDS = [
  "version-changed",
  "feature-gates-changed",
  "node-count-changed",
  "agent-added",
  "agent-removed",
  "agent-image-changed",
  /** What all its copies cost at once grew. */
  "agent-dearer",
  /** What starting all its copies at once would do is another thing now. */
  "agent-verdict-changed",
  "api-service-added",
  "api-service-removed",
  "crd-added",
  "crd-removed",
  "flow-schema-added",
  "flow-schema-removed",
  "flow-schema-changed",
  "priority-level-added",
  "priority-level-removed",
  "priority-level-changed",
  "api-server-restarted",
  "cluster-unreachable",
  "cluster-back",
  "cluster-renamed",
  "context-repointed",
  "rejections-started",
  "rejections-ended",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const SEVERITIES = ["error", "warning", "info", "ok", "unknown"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A change of one cluster. Text is for people: a lead that is set strong, and the rest with figures. */
export interface ClusterEvent {
  readonly kind: EventKind;
  readonly severity: Severity;
  /** Milliseconds since the epoch at which the change was seen. */
  readonly at: number;
  /** The object or figure that changed: `observability/node-telemetry`, `nodes`. */
  readonly subject: string;
  readonly lead: string;
  readonly text: string;
  readonly before: string | null;
  readonly after: string | null;
}

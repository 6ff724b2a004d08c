import { z } from "zod";
import type { ApiServiceSummary, NodeSummary, WebhookSummary } from "../../domain/clusters/inventory-part.ts";

const MetadataSchema = z.object({
  metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()).nullish() }),
});

const WebhookConfigurationSchema = z.object({
  metadata: z.object({ name: z.string() }),
  webhooks: z.array(z.unknown()).nullish(),
});

const ApiServiceSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z
    .object({ service: z.object({ name: z.string().nullish(), namespace: z.string().nullish() }).nullish() })
    .nullish(),
  status: z
    .object({
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string().nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});

/** Labels by which nodes are counted: where they are and what they are, bounded in their values. */
export const COUNTED_NODE_LABELS = [
  "kubernetes.io/arch",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
] as const;
const ROLE_LABEL_PREFIX = "node-role.kubernetes.io/";
/** The rest of the values of one label are counted together. */
const VALUES_KEPT = 30;

/** The name in an object's metadata. @throws ZodError where it has none. */
export function parseName(item: unknown): string {
  return MetadataSchema.parse(item).metadata.name;
}

/** @throws ZodError where the object is no webhook configuration. */
export function parseWebhook(kind: WebhookSummary["kind"], item: unknown): WebhookSummary {
  const { metadata, webhooks } = WebhookConfigurationSchema.parse(item);
  return { kind, name: metadata.name, webhooks: webhooks?.length ?? 0 };
}

/** @throws ZodError where the object is no APIService. */
export function parseApiService(item: unknown): ApiServiceSummary {
  const { metadata, spec, status } = ApiServiceSchema.parse(item);
  const service = spec?.service ?? null;
  const available = status?.conditions?.find((condition) => condition.type === "Available");
  const isAvailable =
    available === undefined || available.status === "Unknown" ? null : available.status === "True";
  return {
    name: metadata.name,
    service: service === null ? null : `${service.namespace ?? ""}/${service.name ?? ""}`,
    isAvailable,
    unavailableReason: isAvailable === false ? (available?.reason ?? "") : null,
  };
}

/** Counts nodes as they come, so that none is held. */
export function createNodeCounter() {
  let total = 0;
  const byLabel = new Map<string, Map<string, number>>();
  const count = (label: string, value: string) => {
    const values = byLabel.get(label) ?? new Map<string, number>();
    byLabel.set(label, values);
    values.set(value, (values.get(value) ?? 0) + 1);
  };
  return {
    /** @throws ZodError where the object has no metadata. */
    take(item: unknown): void {
      const labels = MetadataSchema.parse(item).metadata.labels ?? {};
      total += 1;
      for (const label of COUNTED_NODE_LABELS) {
        const value = labels[label];
        if (value !== undefined) count(label, value);
      }
      for (const label of Object.keys(labels)) {
        if (label.startsWith(ROLE_LABEL_PREFIX)) {
          count("node-role.kubernetes.io", label.slice(ROLE_LABEL_PREFIX.length));
        }
      }
    },
    finish(): NodeSummary {
      return {
        total,
        byLabel: Object.fromEntries(
          [...byLabel]
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([label, values]) => [label, keepFrequent(values)]),
        ),
      };
    },
  };
}

function keepFrequent(values: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  const sorted = [...values].sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1));
  const kept = sorted.slice(0, VALUES_KEPT);
  const others = sorted.slice(VALUES_KEPT).reduce((total, [, nodes]) => total + nodes, 0);
  return Object.fromEntries(others === 0 ? kept : [...kept, ["(other)", others]]);
}

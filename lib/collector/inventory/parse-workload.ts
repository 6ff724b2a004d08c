import { z } from "zod";
import { INFORMERS_ANNOTATION } from "../../domain/agents/agent-workload.ts";
import type { Workload, WorkloadKind } from "../../domain/clusters/inventory-part.ts";

const IntOrString = z.union([z.number(), z.string()]);

const RollingSchema = z
  .object({ maxUnavailable: IntOrString.nullish(), maxSurge: IntOrString.nullish() })
  .nullish();
const StrategySchema = z.object({ type: z.string().nullish(), rollingUpdate: RollingSchema }).nullish();

const WorkloadSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    generation: z.number().nullish(),
    labels: z.record(z.string(), z.string()).nullish(),
    annotations: z.record(z.string(), z.string()).nullish(),
  }),
  spec: z.object({
    replicas: z.number().nullish(),
    minReadySeconds: z.number().nullish(),
    updateStrategy: StrategySchema,
    strategy: StrategySchema,
    template: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).nullish() }).nullish(),
      spec: z
        .object({
          serviceAccountName: z.string().nullish(),
          containers: z.array(z.object({ name: z.string(), image: z.string().nullish() })).nullish(),
          initContainers: z
            .array(
              z.object({
                name: z.string(),
                image: z.string().nullish(),
                restartPolicy: z.string().nullish(),
              }),
            )
            .nullish(),
        })
        .nullish(),
    }),
  }),
  status: z
    .object({
      desiredNumberScheduled: z.number().nullish(),
      numberReady: z.number().nullish(),
      updatedNumberScheduled: z.number().nullish(),
      readyReplicas: z.number().nullish(),
      updatedReplicas: z.number().nullish(),
    })
    .nullish(),
});

/** Labels that name owner, application and version come first; others fill up to the bound. */
const TELLING_LABEL =
  /(^|\/)(app|name|instance|version|component|part-of|managed-by|chart|team|owner|k8s-app)$/;
const LABELS_KEPT = 16;
const LABEL_CHARACTERS = 63;

/** Far more than a declaration of informers needs. */
const ANNOTATION_CHARACTERS = 8192;

/**
 * A DaemonSet, Deployment or StatefulSet of apps/v1, trimmed: no environment, no arguments, of the annotations only the
 * one that declares informers.
 * @throws ZodError where the object is none.
 */
export function parseWorkload(kind: WorkloadKind, item: unknown): Workload {
  const { metadata, spec, status } = WorkloadSchema.parse(item);
  const strategy = spec.updateStrategy ?? spec.strategy ?? null;
  const pod = spec.template.spec;
  const sidecars = (pod?.initContainers ?? []).filter((each) => each.restartPolicy === "Always");
  const isDaemonSet = kind === "DaemonSet";
  return {
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    generation: metadata.generation ?? null,
    desiredReplicas: isDaemonSet ? (status?.desiredNumberScheduled ?? 0) : (spec.replicas ?? 1),
    readyReplicas: (isDaemonSet ? status?.numberReady : status?.readyReplicas) ?? 0,
    updatedReplicas: (isDaemonSet ? status?.updatedNumberScheduled : status?.updatedReplicas) ?? null,
    // The API's own default.
    serviceAccountName: pod?.serviceAccountName || "default",
    images: [...(pod?.containers ?? []), ...sidecars].map(({ name, image }) => ({
      container: name,
      image: image ?? "",
    })),
    labels: trimLabels(metadata.labels ?? {}),
    maxUnavailable: textOf(strategy?.rollingUpdate?.maxUnavailable),
    maxSurge: textOf(strategy?.rollingUpdate?.maxSurge),
    updateStrategy: strategy?.type ?? null,
    minReadySeconds: spec.minReadySeconds ?? 0,
    informersAnnotation: cutText(
      metadata.annotations?.[INFORMERS_ANNOTATION] ??
        spec.template.metadata?.annotations?.[INFORMERS_ANNOTATION],
    ),
  };
}

function trimLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.keys(labels).sort(
    (a, b) => Number(TELLING_LABEL.test(b)) - Number(TELLING_LABEL.test(a)) || (a < b ? -1 : 1),
  );
  return Object.fromEntries(
    names.slice(0, LABELS_KEPT).map((name) => [name, (labels[name] ?? "").slice(0, LABEL_CHARACTERS)]),
  );
}

const cutText = (text: string | undefined) => text?.slice(0, ANNOTATION_CHARACTERS) ?? null;

function textOf(value: number | string | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

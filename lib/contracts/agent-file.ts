import { z } from "zod";
import type { AgentWorkload } from "../domain/agents/agent-workload.ts";
import { parseInformersAnnotation } from "../domain/agents/informers-annotation.ts";

const text = (expected: string) => z.string({ error: expected }).min(1, expected).max(500, expected);

const REPLICAS = "per-node, or a whole number of at least 0";

/**
 * An agent described by hand, as `agent.yaml`: what `headroom agents score` takes in place of manifests. It has the shape
 * of a Kubernetes object so that it can stand among manifests; no cluster knows its kind.
 */
export const AgentFileSchema = z
  .strictObject({
    apiVersion: z.literal("headroom.dev/v1", { error: "headroom.dev/v1" }),
    kind: z.literal("Agent", { error: "Agent" }),
    metadata: z.looseObject(
      {
        name: text("a name"),
        namespace: text("a namespace").optional(),
        labels: z.record(z.string(), z.string({ error: "a text" }), { error: "labels by name" }).optional(),
      },
      { error: "metadata with a name" },
    ),
    spec: z
      .strictObject(
        {
          kind: z
            .enum(["DaemonSet", "Deployment", "StatefulSet", "StaticPod"], {
              error: "DaemonSet, Deployment, StatefulSet or StaticPod",
            })
            .describe("What runs it."),
          replicas: z
            .union([z.literal("per-node"), z.int({ error: REPLICAS }).min(0, REPLICAS)], { error: REPLICAS })
            .optional()
            .describe("Copies: per-node or a number. By default per-node of a DaemonSet, else 1."),
          serviceAccountName: text("a name").optional().describe("By default: default."),
          userName: text("a user name")
            .optional()
            .describe("The user that it is to the API server, in place of its ServiceAccount."),
          image: text("an image").optional().describe("By which the catalogue knows it, and its version."),
          arguments: z
            .array(z.string({ error: "a text" }), { error: "a list of texts" })
            .optional()
            .describe("Command and arguments: they may change what it reads by the catalogue."),
          environment: z
            .record(z.string(), z.string({ error: "a text" }), { error: "texts by name" })
            .optional()
            .describe("Variables: they may change what it reads by the catalogue."),
          informers: z
            .array(text("an informer such as pods@node protobuf"), { error: "a list of informers" })
            .optional()
            .describe(
              "What every copy reads, in the language of the annotation headroom.dev/informers. An empty list: nothing. Absent: what the catalogue says.",
            ),
          client: text("a client such as client-go/0.34.1 qps=50 burst=100")
            .optional()
            .describe("client-go/0.34.1 qps=50 burst=100"),
        },
        { error: "spec with a kind" },
      )
      .superRefine(checkLanguage),
  })
  .meta({ title: "An agent described by hand" });

/** Every line by itself and all of them together: a line may not stand twice, nor `none` beside another. */
function checkLanguage(spec: Declared, context: z.RefinementCtx): void {
  const declared = annotationOf(spec);
  if (declared === null) return;
  for (const { line, column, found, expected } of parseInformersAnnotation(declared).problems) {
    const isClient = line > Math.max(1, spec.informers?.length ?? 0) || spec.informers === undefined;
    const at = isClient ? column - "client ".length : column;
    context.addIssue({
      code: "custom",
      path: isClient ? ["client"] : ["informers", line - 1],
      message: `${expected}; "${found}" is not (column ${Math.max(1, at)})`,
    });
  }
}

interface Declared {
  readonly informers?: readonly string[] | undefined;
  readonly client?: string | undefined;
}

/** `null`: it declares nothing. */
function annotationOf({ informers, client }: Declared): string | null {
  const lines = [
    ...(informers === undefined ? [] : informers.length === 0 ? ["none"] : informers),
    ...(client === undefined ? [] : [`client ${client}`]),
  ];
  return lines.length === 0 ? null : lines.join("\n");
}

export type AgentFile = z.output<typeof AgentFileSchema>;

/** What a file says, as a workload of manifests. */
export function asAgentWorkload({ metadata, spec }: AgentFile): AgentWorkload {
  const { kind, replicas } = spec;
  const copies = replicas ?? (kind === "DaemonSet" ? "per-node" : 1);
  return {
    kind,
    namespace: metadata.namespace ?? "default",
    name: metadata.name,
    serviceAccountName: kind === "StaticPod" ? null : (spec.serviceAccountName ?? "default"),
    labels: metadata.labels ?? {},
    containers: [
      {
        name: metadata.name,
        image: spec.image ?? "",
        words: spec.arguments ?? null,
        variables:
          spec.environment === undefined
            ? null
            : Object.entries(spec.environment).map(([name, value]) => ({ name, value, fieldPath: null })),
        configTexts: [],
        isConfigKnown: false,
      },
    ],
    replicas: copies === "per-node" ? { kind: "per-node", count: null } : { kind: "fixed", count: copies },
    isKeptFromNodes: null,
    informersAnnotation: annotationOf(spec),
    declaredIn: "agent.yaml",
    ...(spec.userName === undefined ? {} : { userName: spec.userName }),
  };
}

import type { AgentKind, Replicas } from "./agent.ts";

/** A variable of a container's environment. */
export interface AgentVariable {
  readonly name: string;
  /** `null`: it comes from elsewhere (a field of the pod, a Secret, a ConfigMap). */
  readonly value: string | null;
  /** The field of the pod that it holds, such as `spec.nodeName`; `null`: none. */
  readonly fieldPath: string | null;
}

export interface AgentContainer {
  readonly name: string;
  /** As written; empty where there is none. */
  readonly image: string;
  /** Command and arguments, in order; `null`: not known. */
  readonly words: readonly string[] | null;
  /** `null`: not known. Variables that come in bulk (`envFrom`) are not among them. */
  readonly variables: readonly AgentVariable[] | null;
  /** Texts of the ConfigMaps that the pod mounts or takes its environment from, as far as they are known. */
  readonly configTexts: readonly string[];
  /** False where it has configuration that was not read, or where that is not known. */
  readonly isConfigKnown: boolean;
}

/** A workload as far as its requests depend on it, out of stored inventory or of manifests. */
export interface AgentWorkload {
  readonly kind: Extract<AgentKind, "DaemonSet" | "Deployment" | "StatefulSet" | "StaticPod">;
  readonly namespace: string;
  readonly name: string;
  /** `null` for static pods, which have none. */
  readonly serviceAccountName: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Containers and sidecars; init containers that end are left out. */
  readonly containers: readonly AgentContainer[];
  readonly replicas: Replicas;
  /** True where a nodeSelector or an affinity keeps it from some nodes; `null`: not known. */
  readonly isKeptFromNodes: boolean | null;
  /** The annotation `headroom.dev/informers` of the workload or its pods; `null`: none, or not known. */
  readonly informersAnnotation: string | null;
  /** Where that text stands, if not in the annotation. */
  readonly declaredIn?: string | undefined;
  /** The user that it is to the API server, where that is not its ServiceAccount. */
  readonly userName?: string | undefined;
}

/** The annotation by which a workload declares what it reads. */
export const INFORMERS_ANNOTATION = "headroom.dev/informers";

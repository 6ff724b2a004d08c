import type { Replicas } from "../agent.ts";
import { type AgentWorkload, INFORMERS_ANNOTATION } from "../agent-workload.ts";
import type { RbacObjects } from "../rbac/rbac-objects.ts";
import { Fields, isJsonObject, type ManifestProblem } from "./fields.ts";
import { type FindConfigMap, readPodTemplate } from "./read-pod-template.ts";
import { isRbacKind, RbacReader } from "./read-rbac.ts";

/** What manifests hold of agents. */
export interface ManifestAgents {
  /** Sorted by kind, namespace, name. */
  readonly workloads: readonly AgentWorkload[];
  readonly rbac: RbacObjects;
  /** In the order in which they were met. */
  readonly problems: readonly ManifestProblem[];
}

type WorkloadKind = AgentWorkload["kind"];

const WORKLOAD_KINDS: Readonly<Record<string, WorkloadKind>> = {
  DaemonSet: "DaemonSet",
  Deployment: "Deployment",
  StatefulSet: "StatefulSet",
  Pod: "StaticPod",
};

/** The API server marks the mirror of a static pod by it. */
const MIRROR_ANNOTATION = "kubernetes.io/config.mirror";

interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly metadata: Fields;
  readonly fields: Fields;
}

/**
 * Reads agents out of parsed Kubernetes objects in any order: DaemonSets, Deployments, StatefulSets and Pods, with the
 * RBAC and the ConfigMaps beside them; lists are opened; other kinds are passed over. Of two objects of one name the
 * later counts, and that is reported. `namespace`: where an object names none.
 */
export function readManifests(objects: readonly unknown[], namespace = "default"): ManifestAgents {
  const problems: ManifestProblem[] = [];
  const named = withoutDuplicates(
    openLists(objects).flatMap((object, at) => nameObject(object, at, namespace, problems)),
    problems,
  );
  const configMaps = new Map(
    named
      .filter(({ kind }) => kind === "ConfigMap")
      .map((each) => [`${each.namespace}/${each.name}`, each.fields.textMap("data")]),
  );
  const rbac = new RbacReader();
  const workloads: AgentWorkload[] = [];
  for (const object of named) {
    if (isRbacKind(object.kind)) rbac.read(object);
    const kind = WORKLOAD_KINDS[object.kind];
    if (kind === undefined) continue;
    workloads.push(readWorkload(kind, object, (name) => configMaps.get(`${object.namespace}/${name}`)));
  }
  return {
    workloads: joinMirrors(workloads).sort(compareWorkloads),
    rbac: rbac.objects,
    problems: distinct(problems),
  };
}

function openLists(objects: readonly unknown[]): unknown[] {
  const opened: unknown[] = [];
  // From the end, so that what is taken next is the next in order.
  const waiting = objects.toReversed();
  for (let next = waiting.pop(); next !== undefined || waiting.length > 0; next = waiting.pop()) {
    if (
      isJsonObject(next) &&
      typeof next.kind === "string" &&
      next.kind.endsWith("List") &&
      Array.isArray(next.items)
    ) {
      const itemKind = next.kind.slice(0, -"List".length);
      // Items of a typed list name neither kind nor version.
      const items = (next.items as unknown[]).map((item) =>
        itemKind !== "" && isJsonObject(item) ? { kind: itemKind, ...item } : item,
      );
      for (const item of items.reverse()) waiting.push(item);
    } else if (next !== null && next !== undefined) {
      opened.push(next);
    }
  }
  return opened;
}

function nameObject(
  object: unknown,
  at: number,
  defaultNamespace: string,
  problems: ManifestProblem[],
): NamedObject[] {
  const unnamed = `object ${at + 1}`;
  if (!isJsonObject(object)) {
    problems.push({ subject: unnamed, path: "", expected: "a Kubernetes object with kind and metadata" });
    return [];
  }
  let subject = unnamed;
  const fields = new Fields(object, (path, expected) => problems.push({ subject, path, expected }));
  const kind = fields.text("kind");
  if (kind === null || !(isRbacKind(kind) || kind === "ConfigMap" || Object.hasOwn(WORKLOAD_KINDS, kind)))
    return [];
  const metadata = fields.object("metadata");
  const name = metadata?.text("name") ?? null;
  if (metadata === null || name === null || name === "") {
    problems.push({ subject: `${kind}, ${unnamed}`, path: "metadata.name", expected: "a name" });
    return [];
  }
  const namespace = metadata.text("namespace") ?? defaultNamespace;
  subject = kind.startsWith("Cluster") ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
  return [{ kind, namespace, name, metadata, fields }];
}

function withoutDuplicates(objects: readonly NamedObject[], problems: ManifestProblem[]): NamedObject[] {
  const byKey = new Map<string, NamedObject>();
  for (const object of objects) {
    const { kind, namespace, name } = object;
    const key = kind.startsWith("Cluster") ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
    if (byKey.delete(key)) {
      problems.push({ subject: key, path: "", expected: "one object of this name; the last one counts" });
    }
    byKey.set(key, object);
  }
  return [...byKey.values()];
}

function readWorkload(kind: WorkloadKind, object: NamedObject, findConfigMap: FindConfigMap): AgentWorkload {
  const { namespace, name, metadata, fields } = object;
  const spec = fields.object("spec");
  const template = kind === "StaticPod" ? null : (spec?.object("template") ?? null);
  const podSpec = kind === "StaticPod" ? spec : (template?.object("spec") ?? null);
  const pod = podSpec === null ? null : readPodTemplate(podSpec, findConfigMap);
  const annotations = metadata.textMap("annotations");
  const podAnnotations = template?.object("metadata")?.textMap("annotations") ?? {};
  const isMirror = Object.hasOwn(annotations, MIRROR_ANNOTATION);
  const nodeName = podSpec?.text("nodeName") ?? "";
  return {
    kind,
    namespace,
    // The kubelet puts the name of its node behind that of a static pod.
    name:
      isMirror && nodeName !== "" && name.endsWith(`-${nodeName}`)
        ? name.slice(0, -nodeName.length - 1)
        : name,
    serviceAccountName: isMirror ? null : (pod?.serviceAccountName ?? "default"),
    labels: { ...template?.object("metadata")?.textMap("labels"), ...metadata.textMap("labels") },
    containers: pod?.containers ?? [],
    replicas: replicasOf(kind, fields, spec),
    isKeptFromNodes: pod?.isKeptFromNodes ?? null,
    informersAnnotation: annotations[INFORMERS_ANNOTATION] ?? podAnnotations[INFORMERS_ANNOTATION] ?? null,
  };
}

function replicasOf(kind: WorkloadKind, fields: Fields, spec: Fields | null): Replicas {
  switch (kind) {
    case "DaemonSet":
      return { kind: "per-node", count: fields.object("status")?.count("desiredNumberScheduled") ?? null };
    case "StaticPod":
      return { kind: "fixed", count: 1 };
    default:
      return { kind: "fixed", count: spec?.count("replicas") ?? 1 };
  }
}

/** Mirrors of one static pod on several nodes are its copies. */
function joinMirrors(workloads: readonly AgentWorkload[]): AgentWorkload[] {
  const byKey = Map.groupBy(workloads, ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
  return [...byKey.values()].flatMap((alike) => {
    const last = alike.at(-1);
    if (last === undefined) return [];
    return alike.length === 1
      ? [last]
      : [{ ...last, replicas: { kind: "fixed" as const, count: alike.length } }];
  });
}

/** A field that is read twice is reported twice. */
const distinct = (problems: readonly ManifestProblem[]) => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values(),
];

function compareWorkloads(a: AgentWorkload, b: AgentWorkload): number {
  for (const field of ["kind", "namespace", "name"] as const) {
    if (a[field] !== b[field]) return a[field] < b[field] ? -1 : 1;
  }
  return 0;
}

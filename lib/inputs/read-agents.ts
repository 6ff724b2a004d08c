import { AgentFileSchema, asAgentWorkload } from "../contracts/agent-file.ts";
import {
  type AgentWorkload,
  type ManifestAgents,
  readManifests,
  type SampledRequest,
} from "../domain/agents/index.ts";
import type { ClusterFacts } from "../domain/clusters/cluster-facts.ts";
import type { RequestDumpLine, ScannedDump, ScannedObject } from "../domain/findings/index.ts";
import type { InputProblem, SkippedInput } from "./input-problem.ts";
import { INPUT_LIMITS } from "./limits.ts";
import { formatPath } from "./positions.ts";
import { InputReader } from "./read-inputs.ts";
import { walkInputs } from "./walk-inputs.ts";

/** Agents of files: manifests, rendered charts, `agent.yaml`. */
export interface AgentInputs {
  /** Sorted by kind, namespace, name. */
  readonly workloads: readonly AgentWorkload[];
  readonly rbac: ManifestAgents["rbac"];
  /** Requests that dumps of fairness state among them show. */
  readonly sampled: readonly SampledRequest[];
  /** What a `cluster.yaml` among them says; `null`: none is. */
  readonly facts: ClusterFacts | null;
  readonly problems: readonly InputProblem[];
  readonly skipped: readonly SkippedInput[];
}

const AGENT_GROUP = "headroom.dev";

/** Reads files and folders. Never throws for what is in them. `namespace`: that of objects that name none. */
export async function readAgentInputs(paths: readonly string[], namespace: string): Promise<AgentInputs> {
  const found = await walkInputs(paths);
  const reader = new InputReader(INPUT_LIMITS);
  for (const file of found.files) await reader.read(file);
  const { objects, cluster, given, requestDumps } = reader.facts();
  const all = objects.kinds().flatMap((kind) => objects.ofKind(kind));
  const described = all.filter(({ kind, apiGroup }) => kind === "Agent" && apiGroup === AGENT_GROUP);
  const manifests = readManifests(
    all.map(({ body }) => body),
    namespace,
  );
  const agents = described.map((object) => readAgentFile(object, namespace));
  const streams = reader.streams.map(async ({ name, kind, opened }) => {
    await opened?.close();
    const hint =
      kind === "audit-log" ? "headroom agents learn reads audit logs" : "agents are not read from it";
    return { file: name, reason: hint };
  });
  return {
    workloads: uniqueWorkloads([...agents.flatMap(({ workload }) => workload ?? []), ...manifests.workloads]),
    rbac: manifests.rbac,
    sampled: requestDumps.flatMap(samplesOf),
    facts: given.has("cluster-facts") ? cluster : null,
    problems: [
      ...found.problems,
      ...reader.problems,
      ...manifests.problems.map(({ subject, path, expected }) => ({
        ...placeOf(all, subject, namespace),
        message: `${subject}: ${path === "" ? "" : `${path}: `}expected ${expected}`,
      })),
      ...agents.flatMap(({ problems }) => problems),
    ],
    skipped: [...found.skipped, ...reader.skipped, ...(await Promise.all(streams))],
  };
}

/** Rows with details: without them a dump does not tell what is asked for. */
function samplesOf({ file, rows }: ScannedDump<RequestDumpLine>): readonly SampledRequest[] {
  return rows.flatMap(({ userName, verb, apiPath, namespace, name, resource, arrivedAt }) => {
    if (userName === null || verb === null || resource === null || arrivedAt === null) return [];
    const apiGroup = /^\/apis\/([^/]+)\//.exec(apiPath ?? "")?.[1] ?? "";
    return [
      {
        userName,
        verb,
        apiGroup,
        resource,
        namespace: namespace ?? "",
        name: name ?? "",
        serverName: file,
        observedAt: arrivedAt,
      },
    ];
  });
}

interface ReadAgentFile {
  readonly workload: AgentWorkload | null;
  readonly problems: readonly InputProblem[];
}

function readAgentFile({ body, position, name }: ScannedObject, namespace: string): ReadAgentFile {
  const parsed = AgentFileSchema.safeParse(body);
  if (parsed.success) {
    const { metadata } = parsed.data;
    const file = { ...parsed.data, metadata: { ...metadata, namespace: metadata.namespace ?? namespace } };
    return { workload: asAgentWorkload(file), problems: [] };
  }
  const problems = parsed.error.issues.map(({ path, message }) => ({
    file: position.file,
    line: position.line,
    column: null,
    message: `Agent ${name}: ${path.length === 0 ? "" : `${formatPath(path)}: `}expected ${message}`,
  }));
  return { workload: null, problems };
}

/** Where an object that manifests call so begins; the whole input where it has no name. */
function placeOf(
  objects: readonly ScannedObject[],
  subject: string,
  namespace: string,
): Pick<InputProblem, "file" | "line" | "column"> {
  const found = objects.findLast(({ kind, namespace: own, name }) => {
    const full = kind.startsWith("Cluster") ? `${kind} ${name}` : `${kind} ${own ?? namespace}/${name}`;
    return full === subject;
  });
  const { file, line } = found?.position ?? { file: "input", line: null };
  return { file, line, column: null };
}

/** One described by hand counts before the manifests of the same name. */
function uniqueWorkloads(workloads: readonly AgentWorkload[]): readonly AgentWorkload[] {
  const byName = new Map<string, AgentWorkload>();
  for (const workload of workloads) {
    const key = `${workload.kind} ${workload.namespace}/${workload.name}`;
    if (!byName.has(key)) byName.set(key, workload);
  }
  return [...byName.values()];
}

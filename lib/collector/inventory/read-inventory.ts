import type { Clock } from "../../clock.ts";
import type { InventoryPart, Workload, WorkloadKind } from "../../domain/clusters/inventory-part.ts";
import {
  type ApiServerClient,
  chooseListForm,
  type ListFormInput,
  type ListOptions,
} from "../../kube/index.ts";
import type { PartRun } from "../pass/part-run.ts";
import type { ScrapeMemory } from "../scrape-memory.ts";
import {
  decideClusterWideLists,
  parseListingRole,
  parseServiceAccountBinding,
} from "./decide-cluster-wide-lists.ts";
import { CONTROL_PLANE_COMPONENTS, parseControlPlanePod } from "./parse-control-plane-pod.ts";
import { createNodeCounter, parseApiService, parseName, parseWebhook } from "./parse-objects.ts";
import { parseWorkload } from "./parse-workload.ts";

/** Labels of nodes are read this often, or when their number changed; the number itself every time. */
const NODES_PERIOD_MS = 1_800_000;
const LIST_LIMITS = { headersSeconds: 20, totalSeconds: 45 };

export interface ReadInventoryInput {
  readonly run: PartRun;
  readonly client: ApiServerClient;
  readonly clock: Clock;
  readonly version: ListFormInput["version"];
  readonly consistentListFromCache: boolean | null;
  readonly memory: Pick<ScrapeMemory, "nodes" | "collections">;
  /** Number of pods where this pass knows it already. */
  readonly pods: number | null;
  /** Number of nodes where this pass knows it already. */
  readonly nodes: number | null;
}

export interface ReadInventoryResult {
  readonly value: InventoryPart | null;
  readonly nodes: ScrapeMemory["nodes"];
  readonly answer: string;
}

/** Everything the inventory holds, list after list; one that is refused or fails costs itself only. */
export async function readInventory(input: ReadInventoryInput): Promise<ReadInventoryResult> {
  const reader = new InventoryReader(input);
  const workloads: Workload[] = [];
  const kindsRead: WorkloadKind[] = [];
  for (const [kind, resource] of WORKLOADS) {
    const found = await reader.list("apps", resource, (item) => parseWorkload(kind, item));
    if (found === null) continue;
    workloads.push(...found);
    kindsRead.push(kind);
  }
  const nodes = await reader.nodes();
  const pods = await reader.pods();
  const roles = await reader.list("rbac.authorization.k8s.io", "clusterroles", parseListingRole);
  const bindings = await reader.list(
    "rbac.authorization.k8s.io",
    "clusterrolebindings",
    parseServiceAccountBinding,
  );
  const validating = await reader.list(
    "admissionregistration.k8s.io",
    "validatingwebhookconfigurations",
    (item) => parseWebhook("ValidatingWebhookConfiguration", item),
  );
  const mutating = await reader.list(
    "admissionregistration.k8s.io",
    "mutatingwebhookconfigurations",
    (item) => parseWebhook("MutatingWebhookConfiguration", item),
  );
  const apiServices = await reader.list("apiregistration.k8s.io", "apiservices", parseApiService);
  const definitions = await reader.list("apiextensions.k8s.io", "customresourcedefinitions", parseName, {
    metadataOnly: true,
  });
  const controlPlanePods = await reader.controlPlanePods();
  const webhooks =
    validating === null || mutating === null
      ? null
      : [...validating, ...mutating].sort((a, b) => (a.name < b.name ? -1 : 1));
  const value: InventoryPart = {
    workloads: workloads.sort(compareWorkloads),
    nodes: nodes?.summary ?? null,
    pods,
    controlPlanePods,
    webhooks,
    apiServices: apiServices === null ? null : [...apiServices].sort((a, b) => (a.name < b.name ? -1 : 1)),
    customResourceDefinitions: definitions === null ? null : [...definitions].sort(),
    clusterWideLists:
      roles === null || bindings === null
        ? null
        : decideClusterWideLists(
            roles,
            bindings.filter((binding) => binding !== null),
          ),
  };
  const { workloads: _workloads, ...lists } = value;
  const hasAny = kindsRead.length > 0 || Object.values(lists).some((each) => each !== null);
  const count = (figure: number | null | undefined, noun: string) =>
    figure === null || figure === undefined ? null : `${figure.toLocaleString("en-US")} ${noun}`;
  return {
    value: hasAny ? value : null,
    nodes: nodes ?? input.memory.nodes,
    answer: [
      count(kindsRead.length === 0 ? null : workloads.length, "workloads"),
      count(value.nodes?.total, "nodes"),
      count(pods, "pods"),
      count(value.customResourceDefinitions?.length, "CustomResourceDefinitions"),
    ]
      .filter((each) => each !== null)
      .join(", "),
  };
}

const WORKLOADS = [
  ["DaemonSet", "daemonsets"],
  ["Deployment", "deployments"],
  ["StatefulSet", "statefulsets"],
] as const;

class InventoryReader {
  readonly #input: ReadInventoryInput;
  readonly #client: ApiServerClient;

  constructor(input: ReadInventoryInput) {
    this.#input = input;
    this.#client = input.run.clientFrom(input.client);
  }

  /** A whole list in the cheapest form of the version, each item reduced as it comes; `null`: not read. */
  async list<T>(
    group: string,
    resource: string,
    parseItem: (item: unknown) => T,
    options: { readonly metadataOnly?: boolean } = {},
  ): Promise<readonly T[] | null> {
    const path = group === "" ? `/api/v1/${resource}` : `/apis/${group}/v1/${resource}`;
    return this.#input.run.attempt({ what: resource, path }, () =>
      this.#collect(path, {
        form: this.#form(group, resource),
        parseItem,
        limits: LIST_LIMITS,
        ...options,
      }),
    );
  }

  /** The number each time; the labels, which need every node's metadata, only now and then. */
  async nodes(): Promise<ScrapeMemory["nodes"]> {
    const { run, memory, clock } = this.#input;
    const path = "/api/v1/nodes";
    const known = memory.nodes;
    const isRecent = known !== null && clock.now() - known.readAt < NODES_PERIOD_MS;
    if (known !== null && isRecent) {
      const total =
        this.#input.nodes ??
        (await run.attempt({ what: "nodes", path }, async () => (await this.#client.count(path)).count));
      if (total === null) return null;
      if (Math.abs(total - known.listedTotal) < Math.max(5, 0.01 * total)) {
        return { ...known, summary: { ...known.summary, total } };
      }
    }
    return run.attempt({ what: "nodes", path }, async () => {
      let counter = createNodeCounter();
      const events = this.#client.list(path, {
        form: this.#form("", "nodes"),
        metadataOnly: true,
        limits: LIST_LIMITS,
      });
      for await (const event of events) {
        if (event.type === "restart") counter = createNodeCounter();
        if (event.type === "items") for (const item of event.items) counter.take(item);
      }
      const summary = counter.finish();
      return { summary, listedTotal: summary.total, readAt: clock.now() };
    });
  }

  async pods(): Promise<number | null> {
    const { run, pods } = this.#input;
    if (pods !== null) return pods;
    const path = "/api/v1/pods";
    return run.attempt({ what: "pods", path }, async () => (await this.#client.count(path)).count);
  }

  async controlPlanePods() {
    const path = "/api/v1/namespaces/kube-system/pods";
    const pods = await this.#input.run.attempt({ what: "control-plane pods", path }, () =>
      this.#collect(path, {
        // From the cache: with a selector etcd would be read for every pod of the namespace.
        form: { limit: 500, resourceVersion: "0", resourceVersionMatch: null },
        query: { labelSelector: `component in (${CONTROL_PLANE_COMPONENTS.join(",")})` },
        parseItem: parseControlPlanePod,
        limits: LIST_LIMITS,
      }),
    );
    return pods === null ? null : [...pods].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #form(group: string, resource: string): NonNullable<ListOptions<unknown>["form"]> {
    const { version, consistentListFromCache, memory } = this.#input;
    const known = memory.collections.get(`${group}/${resource}`);
    return chooseListForm({
      version,
      intent: "all",
      consistentListFromCache,
      objects: known?.objects ?? null,
      storedObjectBytes: known?.objectBytes ?? null,
    });
  }

  async #collect<T>(path: string, options: ListOptions<T>): Promise<readonly T[]> {
    const kept: T[] = [];
    for await (const event of this.#client.list<T>(path, options)) {
      if (event.type === "restart") kept.length = 0;
      if (event.type === "items") kept.push(...event.items);
    }
    return kept;
  }
}

function compareWorkloads(a: Workload, b: Workload): number {
  return compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

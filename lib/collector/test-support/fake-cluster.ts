import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PART_NAMES, type PartName } from "../../domain/clusters/part.ts";
import {
  buildScenario,
  type ClusterScenario,
  type FakeApiServer,
  type FakeApiServerOptions,
  type ScenarioOptions,
  startFakeApiServer,
} from "../../fake-api-server/index.ts";
import {
  type ApiServerClient,
  type BudgetLimits,
  ClusterBudget,
  createApiServerClient,
  type KubeClock,
  loadKubeconfig,
  systemClock,
} from "../../kube/index.ts";
import { type ScrapeResult, scrapeCluster } from "../scrape-cluster.ts";
import { EMPTY_MEMORY, type ScrapeMemory } from "../scrape-memory.ts";
import { connectionsOf } from "../session/open-cluster.ts";
import { impatient } from "./impatient.ts";

export interface FakeClusterOptions {
  readonly scenario?: ScenarioOptions | ClusterScenario;
  readonly server?: Omit<FakeApiServerOptions, "scenario">;
  readonly limits?: Partial<BudgetLimits>;
  readonly clock?: KubeClock;
}

/** A fake API server and a client of it by way of a kubeconfig on disk, and passes over it one after the other. */
export interface FakeCluster extends AsyncDisposable {
  readonly server: FakeApiServer;
  client(): ApiServerClient;
  readonly kubeconfigPath: string;
  /** One pass; remembers what the collector would. Defects fail the test. */
  scrape(options?: {
    readonly due?: readonly PartName[];
    readonly mustProbe?: boolean;
    readonly isOnlyPass?: boolean;
    readonly signal?: AbortSignal;
    /** Paths for which time limits are short. */
    readonly impatientFor?: RegExp;
  }): Promise<ScrapeResult>;
  memory(): ScrapeMemory;
  /** As a collector that has just started: nothing remembered, the whole budget left. */
  forget(): Promise<void>;
}

/** Deadlines are as in production; a hanging server is waited for by the clock given. */
export async function startFakeCluster(options: FakeClusterOptions = {}): Promise<FakeCluster> {
  const { clock = systemClock } = options;
  const scenario = isScenario(options.scenario) ? options.scenario : buildScenario(options.scenario);
  const server = await startFakeApiServer({ ...options.server, scenario });
  const folder = await mkdtemp(join(tmpdir(), "headroom-collector-"));
  const kubeconfigPath = join(folder, "kubeconfig");
  await writeFile(kubeconfigPath, JSON.stringify(server.kubeconfig()));
  const { targets, problems } = await loadKubeconfig({ paths: [kubeconfigPath], source: "flag" });
  const [target] = targets;
  if (target === undefined) throw new Error(problems.map(String).join(", "));
  const openClient = () => {
    const limits = options.limits === undefined ? {} : { limits: options.limits };
    const budget = new ClusterBudget({ clock, ...limits });
    return createApiServerClient({ target, budget, clock, random: () => 0 });
  };
  let client = openClient();
  let memory = EMPTY_MEMORY;
  return {
    server,
    client: () => client,
    kubeconfigPath,
    memory: () => memory,
    forget: async () => {
      memory = EMPTY_MEMORY;
      await client.close();
      client = openClient();
    },
    async scrape({
      due = PART_NAMES,
      mustProbe = false,
      isOnlyPass = false,
      signal = new AbortController().signal,
      impatientFor,
    } = {}) {
      const reader = impatientFor === undefined ? client : impatient(client, impatientFor);
      const result = await scrapeCluster({
        client: reader,
        connections: connectionsOf(reader),
        clock,
        signal,
        due,
        memory,
        mustProbe,
        isOnlyPass,
        onDefect: (part, error) => {
          throw new Error(`defect in ${part}`, { cause: error });
        },
      });
      memory = result.memory;
      return result;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isScenario(value: ScenarioOptions | ClusterScenario | undefined): value is ClusterScenario {
  return value !== undefined && "figuresAt" in value;
}

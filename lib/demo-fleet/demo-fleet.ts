import { type Clock, systemClock } from "../clock.ts";
import { SERVER_LABELS } from "../domain/clusters/server-resources.ts";
import { type FakeApiServer, startFakeApiServer } from "../fake-api-server/fake-api-server.ts";
import type { ClusterScenario } from "../fake-api-server/scenario.ts";
import { demoScenario } from "./demo-scenario.ts";
import { type ClusterPlan, FLEET, planOf } from "./fleet-plan.ts";
import { type Stories, storiesOf } from "./stories.ts";

export interface DemoFleetOptions {
  /** Equal seeds give equal clusters, tokens included. */
  readonly seed?: string;
  readonly clock?: Clock;
  /**
   * The instant the stories are told from, in milliseconds since the epoch. Keep the one of the first start and pass
   * it again at later ones: then stored history and live figures belong to one story. Default: now.
   */
  readonly anchorAt?: number;
  /** Only these clusters, by name; default: all. */
  readonly only?: readonly string[];
}

export interface DemoCluster {
  readonly name: string;
  /** UID of its kube-system namespace; depends on the seed alone. */
  readonly uid: string;
  readonly url: string;
  readonly token: string;
  readonly labels: Readonly<Record<string, string>>;
  /** A kubeconfig as an object; JSON of it is a kubeconfig file. */
  kubeconfig(): object;
  /** The server behind it, for tests: faults and request log. */
  readonly server: FakeApiServer;
}

export interface DemoFleet {
  readonly seed: string;
  readonly anchorAt: number;
  /** In the order of the plan, worst first. */
  readonly clusters: readonly DemoCluster[];
  close(): Promise<void>;
}

/** What the operator of these clusters says of their networks: ten gigabits a second, as far as answers can use them. */
const LABELS = { [SERVER_LABELS.linkBytesPerSecond]: "1150000000" };

export const DEFAULT_SEED = "headroom-demo";

/** Starts 14 clusters on free ports of 127.0.0.1. Scrape them like any other. */
export async function startDemoFleet(options: DemoFleetOptions = {}): Promise<DemoFleet> {
  const { seed = DEFAULT_SEED, clock = systemClock } = options;
  const anchorAt = options.anchorAt ?? clock.now();
  const stories = storiesOf(anchorAt);
  const plans = options.only === undefined ? FLEET : options.only.map(planOf);
  const servers = await Promise.all(
    plans.map((plan) =>
      startFakeApiServer({ scenario: demoScenario(plan, stories, seed), clock, requestLogLimit: 200 }),
    ),
  );
  const clusters = plans.flatMap((plan, index) => {
    const server = servers[index];
    return server === undefined ? [] : [demoCluster(plan, server)];
  });
  return {
    seed,
    anchorAt,
    clusters,
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function demoCluster(plan: ClusterPlan, server: FakeApiServer): DemoCluster {
  return {
    name: plan.name,
    uid: server.scenario.uid,
    url: server.url,
    token: server.token,
    labels: { role: plan.role, region: plan.region, ...LABELS },
    kubeconfig: () => server.kubeconfig(),
    server,
  };
}

/** The scenarios without servers: for figures and history. */
export function demoScenarios(
  anchorAt: number,
  seed: string = DEFAULT_SEED,
): { plan: ClusterPlan; scenario: ClusterScenario; stories: Stories }[] {
  const stories = storiesOf(anchorAt);
  return FLEET.map((plan) => ({ plan, scenario: demoScenario(plan, stories, seed), stories }));
}

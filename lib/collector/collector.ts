import type { HeadroomConfig } from "../config/config-types.ts";
import type { Store } from "../db/store.ts";
import { AppError } from "../errors.ts";
import type { KubeClock } from "../kube/index.ts";
import type { Logger } from "../logger.ts";
import { HEADROOM_VERSION } from "../version.ts";
import { DemoHistory } from "./demo/demo-history.ts";
import { DemoFleetTargets } from "./demo/demo-targets.ts";
import { recallOutages } from "./demo/recall-outages.ts";
import { FanOutJob } from "./fan-out/project-fan-out.ts";
import { answerConnectionTests } from "./jobs/answer-connection-tests.ts";
import {
  type PeriodicJob,
  Schedule,
  type ScheduledCluster,
  type ScheduleLimits,
} from "./schedule/schedule.ts";
import { ClusterSession } from "./session/cluster-session.ts";
import { openTarget } from "./session/open-cluster.ts";
import { TargetRegistry } from "./targets/target-registry.ts";

export interface CollectorOptions {
  readonly config: Pick<HeadroomConfig, "clusters" | "retention">;
  readonly store: Store;
  readonly clock: KubeClock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly pid: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<ScheduleLimits>;
  /** Called where the store is damaged, or another file than the one that is open: nothing is kept until it is opened anew. */
  readonly onStoreLost?: () => void;
}

export interface Collector {
  /** Gives up what is under way, says in the store that it stopped, and resolves; the store stays open. */
  stop(): Promise<void>;
}

const HEARTBEAT_SECONDS = 5;
const CONNECTION_TEST_SECONDS = 0.5;
const CONFIGURATION_SECONDS = 30;
const PRUNE_SECONDS = 3600;
const DEMO_HISTORY_SECONDS = 0.1;
const FAN_OUT_SECONDS = 2;

/** Starts reading every cluster that is configured, and the demo fleet where there is none. */
export async function startCollector(options: CollectorOptions): Promise<Collector> {
  const { config, store, clock, random, logger, pid, env } = options;
  await store.collector.start(pid, HEADROOM_VERSION, clock.now());
  const demo = new DemoFleetTargets({ store, clock, logger });
  const stopping = new AbortController();
  const history = new DemoHistory({ store, demo, logger });
  const fanOut = new FanOutJob({ store, clock, logger });
  const registry = new TargetRegistry({
    config,
    store,
    clock,
    logger,
    demo: {
      start: async () => {
        await demo.start();
        const clusters = demo.clusters();
        await recallOutages({ store, clusters, clock, random, logger, signal: stopping.signal });
      },
      stop: () => demo.stop(),
    },
    ...(env === undefined ? {} : { env }),
  });
  const complain = createComplaints(logger, options.onStoreLost);

  const openSession = (active: Awaited<ReturnType<TargetRegistry["listActive"]>>[number]): ScheduledCluster =>
    new ClusterSession({
      store,
      target: active.target,
      cluster: active.cluster,
      clock,
      logger,
      open: (target, clusterName) =>
        openTarget(
          target.source === "demo" ? { ...target, kubeconfigPath: demo.kubeconfigPathOf(target) } : target,
          clusterName,
          { clock, random, limits: config.clusters.budget, ...(env === undefined ? {} : { env }) },
        ),
      onMoved: () => schedule.requestSync(),
      onRecorded: (clusterId) => {
        complain.settled(active.target.id);
        history.noteScrape(clusterId);
      },
    });

  const jobs: readonly PeriodicJob[] = [
    {
      name: "heartbeat",
      periodSeconds: HEARTBEAT_SECONDS,
      run: () => store.collector.heartbeat(pid, clock.now()),
    },
    {
      name: "connection tests",
      periodSeconds: CONNECTION_TEST_SECONDS,
      run: (signal) => answerConnectionTests({ store, clock, random, onError: complain.about }, signal),
    },
    {
      name: "configuration",
      periodSeconds: CONFIGURATION_SECONDS,
      firstAfterSeconds: CONFIGURATION_SECONDS,
      run: () => registry.sync(),
    },
    {
      name: "retention",
      periodSeconds: PRUNE_SECONDS,
      firstAfterSeconds: 60,
      run: async () => {
        const { fineSeconds, fiveMinutesSeconds, hourlySeconds, scrapesSeconds } = config.retention;
        const { deletedRows } = await store.maintenance.prune(
          {
            fine: fineSeconds,
            fiveMinutes: fiveMinutesSeconds,
            hourly: hourlySeconds,
            scrapes: scrapesSeconds,
          },
          clock.now(),
        );
        logger.info("retention", { deletedRows });
      },
    },
    { name: "fan-out", periodSeconds: FAN_OUT_SECONDS, run: (signal) => fanOut.run(signal) },
    { name: "demo history", periodSeconds: DEMO_HISTORY_SECONDS, run: (signal) => history.run(signal) },
  ];

  const schedule: Schedule = new Schedule({
    clock,
    random,
    listClusters: async () => {
      const active = await registry.listActive();
      return new Map(active.map((each) => [each.target.id, () => openSession(each)]));
    },
    listIncidentPace: (now) => store.collector.listIncidentPace(now),
    jobs,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    onError: complain.about,
  });

  await registry.sync();
  schedule.start();
  logger.info("collecting");
  return {
    stop: async () => {
      stopping.abort();
      await schedule.stop();
      await fanOut.close();
      await demo.close();
      await store.collector.stop(pid, clock.now());
    },
  };
}

/** An error that comes again and again (a full disk) is logged once, and again only after it went away or changed. */
function createComplaints(logger: Logger, onStoreLost: () => void = () => undefined) {
  const last = new Map<string, string>();
  return {
    about: (what: string, error: unknown) => {
      if (error instanceof AppError && (error.code === "store-replaced" || error.code === "store-corrupt"))
        onStoreLost();
      const message = error instanceof Error ? error.message : String(error);
      if (last.get(what) === message) return;
      last.set(what, message);
      const level = error instanceof AppError ? "warn" : "error";
      logger[level](`${what} failed`, { err: error });
    },
    settled: (what: string) => {
      last.delete(what);
    },
  };
}

import { LimitsController } from "../fairness/limits/limits-controller.ts";
import { FlowClassifier } from "../fairness/matching/flow-classifier.ts";
import { DEFAULT_PAGE_SIZE } from "../informers/reflector-request.ts";
import { ruleVersion } from "../kubernetes/version.ts";
import { seededRandom } from "../rollout/seeded-random.ts";
import type { InformerState } from "./engine/clients.ts";
import { LIST, UNSET, WATCH, WATCH_LIST } from "./engine/compact-reflector.ts";
import { openAgents } from "./engine/open-copies.ts";
import { shapeRequest } from "./engine/request-shape.ts";
import { withUsableLevels } from "./engine/usable-levels.ts";
import { findInputFault } from "./input-fault.ts";
import type { StormInput } from "./storm-input.ts";

/** The first request of one informer of a copy, as an API server of the cluster prices and works on it. */
export interface StormRequestPrice {
  readonly agentId: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly verb: "list" | "watch-list" | "watch";
  readonly priorityLevelName: string;
  readonly flowSchemaName: string;
  /** `null`: each copy is a flow of its own. */
  readonly flowDistinguisher: string | null;
  readonly seats: number;
  /** Alone on a core. Of one page where it comes in pages. */
  readonly cpuSeconds: number;
  readonly wireBytes: number;
  readonly pages: number;
  /** Of its level on the first API server: nominal, with nobody busy, and when this level alone asks for all it can borrow. */
  readonly nominalSeats: number;
  readonly idleSeats: number;
  readonly borrowedSeats: number;
}

/**
 * What the copies of a storm ask for first, without simulating it: one entry per agent and informer, in their order. The
 * collapse rule with `borrowedSeats` foresees a collapse from these alone.
 *
 * @throws {RangeError} as `simulateStorm`.
 */
export function priceFirstRequests(input: StormInput): readonly StormRequestPrice[] {
  const fault = findInputFault(input);
  if (fault !== null) throw new RangeError(fault);
  const cluster = withUsableLevels(input.cluster);
  const version = ruleVersion(cluster.kubernetesVersion);
  const classifier = new FlowClassifier({ ...cluster, minor: version.minor });
  const seats = cluster.servers[0]?.totalConcurrencySeats ?? 0;
  const limits = new Map<string, ReturnType<typeof limitsOf>>();
  const levelMaxSeats = (name: string) => limitsOf(name).maxSeats;
  function limitsOf(name: string) {
    const controller = new LimitsController(version);
    controller.configure(0, cluster.priorityLevels, seats);
    const before = controller.levels.find((level) => level.name === name);
    const all = 1e6;
    controller.adjust(0, new Map([[name, { highWatermark: all, smoothed: all }]]));
    const after = controller.levels.find((level) => level.name === name);
    return {
      nominalSeats: before?.nominalCL ?? 0,
      idleSeats: before?.currentCL ?? 0,
      borrowedSeats: after?.currentCL ?? 0,
      maxSeats: before?.maxSeats ?? 0,
    };
  }
  const context = { cluster, model: input.model, classifier, levelMaxSeats };
  return openAgents({ ...input, cluster }, seededRandom(0)).flatMap((agent) =>
    agent.informers.map((state) => {
      const shape = shapeRequest(context, firstQuestion(state));
      const { priorityLevelName } = shape;
      const known = limits.get(priorityLevelName) ?? limitsOf(priorityLevelName);
      limits.set(priorityLevelName, known);
      const { nominalSeats, idleSeats, borrowedSeats } = known;
      return {
        agentId: agent.input.id,
        apiGroup: state.informer.apiGroup,
        resource: state.informer.resource,
        verb: VERBS[shape.verb] ?? "list",
        priorityLevelName,
        flowSchemaName: shape.flowSchemaName,
        flowDistinguisher: shape.flowDistinguisher,
        seats: shape.seats,
        cpuSeconds: shape.cpuSeconds,
        wireBytes: shape.wireBytes,
        pages: shape.pages,
        nominalSeats,
        idleSeats,
        borrowedSeats,
      };
    }),
  );
}

const VERBS: readonly StormRequestPrice["verb"][] = ["list", "watch", "watch-list"];

function firstQuestion({ agent, informer, collection, settings }: InformerState) {
  const isWatchList = settings.watchList && settings.rules.hasWatchList && informer.mode !== "watch";
  const verb = informer.mode === "watch" ? WATCH : isWatchList ? WATCH_LIST : LIST;
  const limit = settings.pageSize >= 0 ? settings.pageSize : DEFAULT_PAGE_SIZE;
  return {
    agent: agent.input,
    informer,
    collection,
    statistics: collection.statistics,
    verb,
    version: verb === LIST ? settings.firstVersion : UNSET,
    limit: verb === LIST ? limit : 0,
    isContinued: false,
  };
}

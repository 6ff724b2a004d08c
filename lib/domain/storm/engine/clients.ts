import { Flow } from "../../fairness/queueset/request.ts";
import { clientGoRules } from "../../informers/client-go.ts";
import { DEFAULT_PAGE_SIZE } from "../../informers/reflector-request.ts";
import { type Tick, toTicks } from "../../rollout/ticks.ts";
import type { StormAgent, StormCollection, StormInformer } from "../storm-input.ts";
import { ANY, type Bucket, CompactReflector, type ReflectorSettings, UNSET } from "./compact-reflector.ts";
import type { PlacedShape } from "./request-shapes.ts";
import type { StormRequest } from "./storm-request.ts";
import { TickSamples } from "./tick-samples.ts";

/** One informer of an agent, as all its copies have it. */
export class InformerState {
  readonly agent: AgentState;
  readonly informer: StormInformer;
  readonly collection: StormCollection;
  readonly collectionIndex: number;
  readonly settings: ReflectorSettings;
  /** Shapes by server and by what is asked; filled as they are met. */
  readonly shapes: (PlacedShape | undefined)[][] = [];

  constructor(
    agent: AgentState,
    informer: StormInformer,
    collection: StormCollection,
    collectionIndex: number,
    random: () => number,
  ) {
    this.agent = agent;
    this.informer = informer;
    this.collection = collection;
    this.collectionIndex = collectionIndex;
    this.settings = settingsOf(agent.input, informer, random);
  }
}

function settingsOf(
  { client }: StormAgent,
  informer: StormInformer,
  random: () => number,
): ReflectorSettings {
  // client-go asks for 500 at first and for no limit later; any other size is asked for always.
  const isDefaultSize = informer.mode === "informer" && informer.pageSize === DEFAULT_PAGE_SIZE;
  return {
    rules: clientGoRules(client.clientGoVersion),
    mode: informer.mode,
    watchList: informer.watchList,
    firstVersion: informer.resourceVersion === "0" ? ANY : UNSET,
    pageSize: isDefaultSize ? -1 : informer.pageSize,
    periodTicks: toTicks(informer.periodSeconds),
    qps: client.qps ?? 0,
    burst: client.burst,
    maxRetries: client.maxRetries,
    backOffBase: toTicks(client.backOff.baseSeconds),
    backOffCap: toTicks(client.backOff.capSeconds),
    backOffJitter: client.backOff.jitterRatio,
    backOffReset: toTicks(client.backOff.resetSeconds),
    random,
  };
}

/** An agent with the figures of all its copies. */
export class AgentState {
  readonly input: StormAgent;
  readonly index: number;
  readonly informers: InformerState[] = [];
  readonly waits = new TickSamples();
  readonly syncs = new TickSamples();
  readonly rejected = new Map<string, number>();
  copies = 0;
  copiesDone = 0;
  calls = 0;
  requests = 0;
  listsSent = 0;
  listsEnded = 0;
  watches = 0;
  watchLists = 0;
  watchesRejected = 0;
  retries = 0;
  timeouts = 0;
  failures = 0;
  restarts = 0;
  bytes = 0;

  constructor(input: StormAgent, index: number) {
    this.input = input;
    this.index = index;
  }
}

export const NOT_CONNECTED = 0;
export const SHAKING_HANDS = 1;
export const CONNECTED = 2;

/** One copy of an agent: a process with one connection and one bucket. */
export class StormCopy implements Bucket {
  readonly agent: AgentState;
  readonly index: number;
  startTick: Tick;
  fullAt = 0;
  readonly reflectors: ClientReflector[] = [];
  connection = NOT_CONNECTED;
  /** Index of its API server; -1: none. */
  server = -1;
  /** Requests that wait for the connection. */
  readonly pending: ClientReflector[] = [];
  /** Reflectors without their initial state, and those without all they need. */
  missingStates = 0;
  missing = 0;
  hasSynced = false;
  isDone = false;
  /** Times that the process ended for its caches. */
  exits = 0;
  /** Deadline of its caches; -1: none. */
  syncBy: Tick = -1;
  isDown = false;
  /** Flows of its own, where each copy is a flow. */
  #flows: Flow[] = [];

  constructor(agent: AgentState, index: number, startTick: Tick) {
    this.agent = agent;
    this.index = index;
    this.startTick = startTick;
  }

  /** The flow of one of its requests, where the user names the copy. */
  flowOf(flowSchemaName: string): Flow {
    const known = this.#flows.find((flow) => flow.flowSchemaName === flowSchemaName);
    if (known !== undefined) return known;
    const flow = new Flow(flowSchemaName, this.agent.input.userName.replace("*", `copy-${this.index}`));
    this.#flows.push(flow);
    return flow;
  }
}

/** A reflector of a copy, with the request it has under way. */
export class ClientReflector extends CompactReflector {
  readonly copy: StormCopy;
  readonly state: InformerState;
  /** Without answer yet. */
  request: StormRequest | null = null;
  pagesLeft = 0;
  hasState = false;
  isDone = false;
  /** Its watch cannot be resumed: the server will say 410. */
  needsRelist = false;
  /** Tick of the wait that is under way; -1: none. */
  wakesAt: Tick = -1;

  constructor(copy: StormCopy, state: InformerState, now: Tick) {
    super(state.settings, copy, now);
    this.copy = copy;
    this.state = state;
  }
}

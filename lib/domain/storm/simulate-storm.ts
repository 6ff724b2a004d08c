import { EventHeap } from "../events/event-heap.ts";
import { FlowClassifier } from "../fairness/matching/flow-classifier.ts";
import type { RejectionReason } from "../fairness/queueset/rejection-reason.ts";
import { ruleVersion } from "../kubernetes/version.ts";
import { seededRandom } from "../rollout/seeded-random.ts";
import { TICKS_PER_SECOND, type Tick, toTicks } from "../rollout/ticks.ts";
import { ADJUSTMENT_TICKS, ApiServer } from "./engine/api-server.ts";
import { assumedDemand, backgroundFlows } from "./engine/background.ts";
import { type BackgroundFlowState, BackgroundSource } from "./engine/background-flows.ts";
import { ClientReflector, StormCopy } from "./engine/clients.ts";
import { LIST, WATCH_LIST } from "./engine/compact-reflector.ts";
import { lostServers, openAgents, openCopies } from "./engine/open-copies.ts";
import { RequestShapes } from "./engine/request-shapes.ts";
import type { ServerHost } from "./engine/server-host.ts";
import { StormClients } from "./engine/storm-clients.ts";
import { dumpStorm, type StormDump } from "./engine/storm-dump.ts";
import { reportStorm } from "./engine/storm-report.ts";
import { StormRequest } from "./engine/storm-request.ts";
import { TimedQueue } from "./engine/timed-queue.ts";
import { withUsableLevels } from "./engine/usable-levels.ts";
import { findInputFault } from "./input-fault.ts";
import { DEFAULT_PATIENCE_SECONDS, type StormInput } from "./storm-input.ts";
import type { StormResult } from "./storm-result.ts";

/**
 * One storm from its begin to its end. Pure: equal inputs give equal results, byte for byte.
 *
 * @throws {RangeError} where the input cannot be simulated: says which field and why.
 */
export function simulateStorm(input: StormInput): StormResult {
  return new StormSimulation(input).run();
}

/** What happens at a tick of its own. */
type Timer =
  | ClientReflector
  | StormCopy
  | BackgroundSource
  | { readonly kind: "adjust" | "come-up"; readonly server: ApiServer<StormCopy> }
  | { readonly kind: "idled"; readonly server: ApiServer<StormCopy>; readonly request: StormRequest };

/** Events after which a simulation is given up: it would take a minute and more. */
const EVENTS_MAX = 20_000_000;
/** However slowly copies get done: not after so many times the patience. */
const PATIENCE_MAX = 4;
/** Background comes for so long after the last request of the storm left a server. */
const BACKGROUND_LINGERS = 2 * TICKS_PER_SECOND;

/**
 * The clock of a storm: whole microseconds, one event after the other. At one tick the servers' own events come first, in
 * their order, then timers in the order in which they were set, starts, deadlines, expiries.
 */
export class StormSimulation {
  readonly input: StormInput;
  readonly servers: readonly ApiServer<StormCopy>[];
  readonly clients: StormClients;
  readonly background: readonly BackgroundFlowState[];
  readonly notes: readonly string[];
  readonly shapes: RequestShapes;
  now: Tick = 0;
  events = 0;
  requests = 0;
  lastStart: Tick = 0;
  usefulCpuSeconds = 0;
  wastedCpuSeconds = 0;
  receivedBytes = 0;
  wastedBytes = 0;
  /** Aborted at the deadline. */
  timeouts = 0;
  readonly #timers = new EventHeap<Timer>();
  #timerNumber = 0;
  readonly #starts: StormCopy[];
  #started = 0;
  readonly #patience: Tick;
  readonly #deadlines: TimedQueue;
  readonly #expiries: TimedQueue;
  readonly #sources: readonly BackgroundSource[][];

  constructor(given: StormInput) {
    const fault = findInputFault(given);
    if (fault !== null) throw new RangeError(fault);
    const input = { ...given, cluster: withUsableLevels(given.cluster) };
    this.input = input;
    const { cluster, model, seed } = input;
    const version = ruleVersion(cluster.kubernetesVersion);
    const random = seededRandom(seed);
    // Each part draws from a source of its own, so that one more draw in one changes nothing in another.
    const serverRandom = seededRandom(random() * 2 ** 32);
    const clientRandom = seededRandom(random() * 2 ** 32);
    const arrivalRandom = seededRandom(random() * 2 ** 32);
    const backgroundRandom = seededRandom(random() * 2 ** 32);
    const { flowSchemas, priorityLevels } = given.cluster;
    const classifier = new FlowClassifier({ flowSchemas, priorityLevels, minor: version.minor });
    this.shapes = new RequestShapes({ cluster, model, classifier });
    const agents = openAgents(input, clientRandom);
    const levels = new Set(
      agents.flatMap(({ informers }) => informers.map((one) => this.shapes.levelOf(one))),
    );
    const { flows, notes } = backgroundFlows(input, levels);
    this.background = flows;
    const secondPhase = Math.floor(serverRandom() * TICKS_PER_SECOND);
    this.servers = cluster.servers.map(
      (server, index) =>
        new ApiServer<StormCopy>({
          index,
          input: server,
          cluster,
          model,
          version,
          assumedDemand: assumedDemand(server, flows),
          stepSeconds: input.stepSeconds,
          random: serverRandom,
          secondPhase,
          host: this.#serverHost(),
        }),
    );
    for (const server of this.servers) {
      this.#at(Math.floor(serverRandom() * ADJUSTMENT_TICKS), { kind: "adjust", server });
    }
    const deadline = toTicks(cluster.requestTimeoutSeconds);
    this.#deadlines = new TimedQueue(deadline, ({ isOver, reflector }) => !isOver && reflector !== null);
    const wait = this.servers[0]?.waitLimitTicks ?? deadline;
    this.#expiries = new TimedQueue(wait, ({ state }) => state === "waiting");
    this.#sources = this.servers.map(({ index }) =>
      flows.map((flow) => new BackgroundSource(flow, index, backgroundRandom)),
    );
    this.clients = new StormClients(agents, {
      servers: this.servers,
      random: clientRandom,
      schedule: (tick, item) => this.#at(tick, item),
      submit: (reflector, server, now) => this.#submit(reflector, server, now),
      abandon: (request, server, now) => this.#abandon(request, server, now),
    });
    const opened = openCopies(input, agents, arrivalRandom, () => this.clients.pickServer()?.index ?? -1);
    this.#starts = opened.copies;
    this.notes = [...notes, ...opened.notes];
    this.clients.copies = this.#starts.length;
    this.lastStart = this.#starts.at(-1)?.startTick ?? 0;
    this.#patience = toTicks(input.patienceSeconds ?? DEFAULT_PATIENCE_SECONDS);
    this.#begin();
  }

  /** Every copy that takes part has all it needs. */
  get isDrained(): boolean {
    return this.clients.done === this.clients.copies;
  }

  get isGivenUp(): boolean {
    return this.events >= EVENTS_MAX;
  }

  /** Copies that have started. */
  get started(): number {
    return this.#started;
  }

  /** Handles the next event; false where the storm is over: drained, or given up. */
  step(): boolean {
    if (this.isDrained || this.isGivenUp) return false;
    let next = Math.min(this.#timers.nextTime, this.#expiries.nextTick, this.#deadlines.nextTick);
    let busy: ApiServer<StormCopy> | null = null;
    for (const server of this.servers) {
      if (server.nextTick >= next && !(busy === null && server.nextTick === next)) continue;
      next = server.nextTick;
      busy = server;
    }
    const copy = this.#starts[this.#started];
    const start = copy?.startTick ?? Number.POSITIVE_INFINITY;
    if (start < next) {
      next = start;
      busy = null;
    }
    const horizon = this.#horizon;
    if (next > horizon) {
      this.now = Math.max(this.now, horizon);
      return false;
    }
    this.now = next;
    this.events++;
    if (busy !== null) busy.step(next);
    else if (this.#timers.nextTime === next) this.#fire(this.#timers.pop());
    else if (copy !== undefined && start === next) this.#start(copy);
    else if (this.#deadlines.nextTick === next) this.#meetDeadline(this.#deadlines.take());
    else this.#expire(this.#expiries.take());
    return true;
  }

  /** Goes on until nothing more happens up to a moment. */
  runUntil(seconds: number): void {
    const until = toTicks(seconds);
    while (this.now <= until && this.step());
  }

  run(): StormResult {
    while (this.step());
    return reportStorm(this);
  }

  /** The state at this moment as plain values, for drawing and debugging. */
  dump(): StormDump {
    return dumpStorm(this);
  }

  /** When it is given up, unless another copy is done before: long after the last start or the last copy that was done. */
  get #horizon(): Tick {
    const patient = Math.max(this.lastStart, this.clients.progressAt) + this.#patience;
    return Math.min(patient, this.lastStart + PATIENCE_MAX * this.#patience);
  }

  #at(tick: Tick, timer: Timer): void {
    this.#timers.push(tick, this.#timerNumber++, timer);
  }

  /** Servers that restart or are lost go down. */
  #begin(): void {
    const { scenario } = this.input;
    if (scenario.kind !== "api-server-restart" && scenario.kind !== "api-server-loss") return;
    const lost = lostServers(this.input);
    for (const server of this.servers) {
      if (!lost.has(server.index)) continue;
      server.goDown(0);
      if (scenario.kind === "api-server-restart")
        this.#at(toTicks(scenario.downSeconds), { kind: "come-up", server });
    }
    if (scenario.kind !== "api-server-loss") return;
    const left = this.servers.length - lost.size;
    for (const source of this.#sources.flat()) source.scale(left > 0 ? this.servers.length / left : 1);
  }

  #start(copy: StormCopy): void {
    this.#started++;
    const { scenario } = this.input;
    if (scenario.kind === "api-server-restart" || scenario.kind === "api-server-loss")
      this.clients.loseConnection(copy, this.now, scenario.resumedRatio);
    else this.clients.start(copy, this.now);
  }

  #fire(timer: Timer | null): void {
    if (timer === null) return;
    if (timer instanceof ClientReflector) this.clients.woke(timer, this.now);
    else if (timer instanceof StormCopy) this.clients.copyDue(timer, this.now);
    else if (timer instanceof BackgroundSource) this.#backgroundArrives(timer);
    else if (timer.kind === "idled") timer.server.idled(this.now, timer.request);
    else if (timer.kind === "come-up") timer.server.comeUp(this.now);
    else {
      if (!timer.server.isDown) timer.server.adjust(this.now);
      this.#at(this.now + ADJUSTMENT_TICKS, timer);
    }
  }

  #submit(reflector: ClientReflector, server: ApiServer<StormCopy>, now: Tick): void {
    const { copy, state } = reflector;
    const shape = this.shapes.of(reflector, server, now);
    const flow = shape.flow ?? copy.flowOf(shape.flowSchemaName);
    const request = new StormRequest(this.requests++, flow, shape, now, reflector, null);
    reflector.request = request;
    const { agent } = state;
    if (shape.verb === LIST) agent.listsSent++;
    else if (shape.verb === WATCH_LIST) {
      agent.watchLists++;
      agent.listsSent++;
    } else agent.watches++;
    this.#wake(server, now);
    server.stormRequests++;
    server.read(now, request);
  }

  /** Starts the clocks of a request that waits or runs. */
  #limitTime(request: StormRequest, server: ApiServer<StormCopy>): void {
    if (request.isOver) return;
    if (request.shape.hasDeadline) this.#deadlines.push(request);
    if (request.state === "waiting" && !server.sweepsQueues) this.#expiries.push(request);
  }

  #serverOf(request: StormRequest): ApiServer<StormCopy> | null {
    return this.servers[request.serverIndex] ?? null;
  }

  #expire(request: StormRequest | null): void {
    if (request !== null) this.#serverOf(request)?.expire(this.now, request);
  }

  /** Streamed answers break off; others were built on to the end, for nobody. */
  #meetDeadline(request: StormRequest | null): void {
    const { now } = this;
    if (request === null) return;
    const server = this.#serverOf(request);
    const { reflector } = request;
    if (server === null || reflector === null) return;
    this.timeouts++;
    if (request.shape.isStreamed || request.state === "waiting") this.#abandon(request, server, now);
    else {
      request.reflector = null;
      this.#left(server, now);
    }
    this.clients.timedOut(reflector, now);
  }

  #abandon(request: StormRequest, server: ApiServer<StormCopy>, now: Tick): void {
    if (request.isOver || request.reflector === null) return;
    request.reflector = null;
    const done = server.abandon(now, request);
    this.wastedCpuSeconds += done * request.shape.cpuSeconds;
    this.wastedBytes += request.sentBytes;
    this.#left(server, now);
  }

  #left(server: ApiServer<StormCopy>, now: Tick): void {
    server.stormRequests--;
    server.activeUntil = now;
  }

  /** Background comes to a server as long as the storm is there. */
  #wake(server: ApiServer<StormCopy>, now: Tick): void {
    for (const source of this.#sources[server.index] ?? []) {
      if (!source.isAsleep) continue;
      source.isAsleep = false;
      this.#at(now + source.gap(), source);
    }
  }

  #backgroundArrives(source: BackgroundSource): void {
    const { now } = this;
    const server = this.servers[source.server];
    if (server === undefined) return;
    if (server.isDown || (server.stormRequests === 0 && now > server.activeUntil + BACKGROUND_LINGERS)) {
      source.isAsleep = true;
      return;
    }
    const { flow } = source;
    flow.requests++;
    const request = new StormRequest(this.requests++, flow.flow, flow.shape, now, null, flow);
    server.read(now, request);
    this.#at(now + source.gap(), source);
  }

  #serverHost(): ServerHost<StormCopy> {
    return {
      onAccepted: (server, request) => this.#limitTime(request, server),
      onDispatched: (_, request, now) => {
        const wait = now - request.receivedAt;
        if (request.reflector !== null) request.reflector.copy.agent.waits.add(wait);
        else request.background?.waits.add(wait);
      },
      onCompleted: (server, request, now) => {
        const { reflector, background, shape } = request;
        if (background !== null) {
          background.latencies.add(now - request.sentAt);
          return;
        }
        if (reflector === null) {
          this.wastedCpuSeconds += shape.cpuSeconds;
          this.wastedBytes += request.sentBytes;
          return;
        }
        this.usefulCpuSeconds += shape.cpuSeconds;
        this.receivedBytes += shape.wireBytes;
        this.#left(server, now);
        this.clients.completed(reflector, request, now);
      },
      onRejected: (server, request, reason, retryAfterSeconds, now) =>
        this.#rejected(server, request, reason, retryAfterSeconds, now),
      onIdle: (server, request, until) => this.#at(until, { kind: "idled", server, request }),
      onShaken: (server, copy, now) => this.clients.shaken(copy, server, now),
    };
  }

  #rejected(
    server: ApiServer<StormCopy>,
    request: StormRequest,
    reason: RejectionReason,
    retryAfterSeconds: number,
    now: Tick,
  ): void {
    const { reflector, background } = request;
    const wait = now - request.receivedAt;
    if (background !== null) {
      background.waits.add(wait);
      background.rejected.set(reason, (background.rejected.get(reason) ?? 0) + 1);
      return;
    }
    if (reflector === null) return;
    reflector.copy.agent.waits.add(wait);
    this.#left(server, now);
    this.clients.rejected(reflector, reason, retryAfterSeconds, now);
  }
}

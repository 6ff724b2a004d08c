import type { RejectionReason } from "../../fairness/queueset/rejection-reason.ts";
import { type Tick, toTicks } from "../../rollout/ticks.ts";
import type { ApiServer } from "./api-server.ts";
import {
  type AgentState,
  ClientReflector,
  CONNECTED,
  NOT_CONNECTED,
  SHAKING_HANDS,
  type StormCopy,
} from "./clients.ts";
import {
  CLIENT_ERROR,
  CLOSED,
  type Command,
  DONE,
  ENDED,
  ERROR_EXPIRED,
  LIST,
  LIST_DONE,
  LIST_MORE,
  OPENED,
  REFUSED,
  SEND,
  TIMED_OUT,
  TOO_MANY,
  WAIT,
  WATCH,
  WATCH_LIST,
} from "./compact-reflector.ts";
import type { StormRequest } from "./storm-request.ts";

/** What the clients need of the world that they live in. */
export interface ClientsHost {
  readonly servers: readonly ApiServer<StormCopy>[];
  readonly random: () => number;
  readonly schedule: (tick: Tick, item: ClientReflector | StormCopy) => void;
  /** Brings a request of a reflector to the server of its copy. */
  readonly submit: (reflector: ClientReflector, server: ApiServer<StormCopy>, now: Tick) => void;
  /** Takes a request that its client no longer waits for off its server. */
  readonly abandon: (request: StormRequest, server: ApiServer<StormCopy>, now: Tick) => void;
}

/** Waits of a container that ended: at once, then 10 s, doubled up to 300 s. */
const FIRST_RESTART_SECONDS = 10;
const LONGEST_RESTART_SECONDS = 300;

/**
 * The agents' copies: their connections, what they send, what they make of the answers. A copy connects when it has
 * something to send: to a server that is up, at random by weight; its requests follow when the handshake is done.
 */
export class StormClients {
  readonly agents: readonly AgentState[];
  readonly #host: ClientsHost;
  /** Copies that take part, those that start later included. */
  copies = 0;
  synced = 0;
  done = 0;
  handshakes = 0;
  /** When half of the copies, and when all of them had their initial state; -1: not yet. */
  halfAt: Tick = -1;
  listedAt: Tick = -1;
  doneAt: Tick = -1;
  /** When the latest copy was done. */
  progressAt: Tick = 0;

  constructor(agents: readonly AgentState[], host: ClientsHost) {
    this.agents = agents;
    this.#host = host;
  }

  /** A copy's process starts. */
  start(copy: StormCopy, now: Tick): void {
    const { agent } = copy;
    copy.isDown = false;
    copy.reflectors.length = 0;
    copy.pending.length = 0;
    copy.connection = NOT_CONNECTED;
    copy.fullAt = 0;
    copy.missing = agent.informers.length;
    copy.missingStates = agent.informers.length;
    const { cacheSyncTimeoutSeconds } = agent.input.client;
    if (cacheSyncTimeoutSeconds !== null) {
      copy.syncBy = now + toTicks(cacheSyncTimeoutSeconds);
      this.#host.schedule(copy.syncBy, copy);
    }
    for (const informer of agent.informers) copy.reflectors.push(new ClientReflector(copy, informer, now));
    if (copy.missing === 0) this.#finishEmpty(copy, now);
    for (const reflector of copy.reflectors) this.#carryOut(reflector, reflector.start(now), now);
  }

  /** A copy that has watched for long loses its connection. */
  loseConnection(copy: StormCopy, now: Tick, resumedRatio: number): void {
    const { agent } = copy;
    const watching = agent.informers.filter(
      ({ informer }) => informer.mode === "informer" || informer.mode === "watch",
    );
    copy.missing = watching.length;
    copy.missingStates = watching.length;
    for (const informer of watching) {
      const reflector = new ClientReflector(copy, informer, now);
      reflector.resume();
      reflector.needsRelist = this.#host.random() >= resumedRatio;
      copy.reflectors.push(reflector);
    }
    if (copy.missing === 0) this.#finishEmpty(copy, now);
    for (const reflector of copy.reflectors) this.#carryOut(reflector, reflector.streamed(CLOSED, now), now);
  }

  /** A wait of a reflector is over; one that was given up is passed over. */
  woke(reflector: ClientReflector, now: Tick): void {
    if (reflector.wakesAt !== now) return;
    reflector.wakesAt = -1;
    this.#carryOut(reflector, reflector.woke(now), now);
  }

  /** The caches of a copy should be filled by now, or it is time to start again. */
  copyDue(copy: StormCopy, now: Tick): void {
    if (copy.isDown) {
      this.start(copy, now);
      return;
    }
    if (copy.syncBy !== now || copy.missingStates === 0) return;
    copy.syncBy = -1;
    copy.agent.restarts++;
    copy.exits++;
    copy.isDown = true;
    for (const reflector of copy.reflectors) {
      reflector.wakesAt = -1;
      const { request } = reflector;
      reflector.request = null;
      const server = this.#host.servers[copy.server];
      if (request !== null && server !== undefined) this.#host.abandon(request, server, now);
    }
    copy.reflectors.length = 0;
    copy.pending.length = 0;
    copy.connection = NOT_CONNECTED;
    this.#host.schedule(now + restartWait(copy.exits), copy);
  }

  shaken(copy: StormCopy, server: ApiServer<StormCopy>, now: Tick): void {
    if (copy.connection !== SHAKING_HANDS || copy.server !== server.index) return;
    copy.connection = CONNECTED;
    const waiting = copy.pending.splice(0);
    for (const reflector of waiting) this.#host.submit(reflector, server, now);
  }

  rejected(reflector: ClientReflector, reason: RejectionReason, retryAfterSeconds: number, now: Tick): void {
    const { agent } = reflector.copy;
    agent.rejected.set(reason, (agent.rejected.get(reason) ?? 0) + 1);
    if (reflector.verb === WATCH) agent.watchesRejected++;
    reflector.request = null;
    this.#answer(reflector, TOO_MANY, retryAfterSeconds, now);
  }

  /** Its request was aborted at the deadline. */
  timedOut(reflector: ClientReflector, now: Tick): void {
    reflector.copy.agent.timeouts++;
    reflector.request = null;
    this.#answer(reflector, TIMED_OUT, -1, now);
  }

  completed(reflector: ClientReflector, request: StormRequest, now: Tick): void {
    const { shape } = request;
    const { agent } = reflector.copy;
    reflector.request = null;
    if (shape.isRefused) {
      agent.failures++;
      this.#answer(reflector, CLIENT_ERROR, -1, now);
      return;
    }
    agent.bytes += shape.wireBytes;
    if (shape.verb === LIST) {
      reflector.pagesLeft = reflector.isContinued ? reflector.pagesLeft - 1 : shape.pages - 1;
      if (reflector.pagesLeft > 0) {
        this.#answer(reflector, LIST_MORE, -1, now);
        return;
      }
      agent.listsEnded++;
      reflector.needsRelist = false;
      this.#gotState(reflector, now);
      this.#answer(reflector, LIST_DONE, -1, now);
      return;
    }
    this.#answer(reflector, OPENED, -1, now);
    if (shape.verb === WATCH_LIST) {
      agent.listsEnded++;
      reflector.needsRelist = false;
      this.#carryOut(reflector, reflector.streamed(ENDED, now), now);
    } else if (reflector.needsRelist) {
      this.#carryOut(reflector, reflector.streamed(ERROR_EXPIRED, now), now);
      return;
    }
    this.#gotState(reflector, now);
    this.#finish(reflector, now);
  }

  #answer(reflector: ClientReflector, answer: number, retryAfterSeconds: number, now: Tick): void {
    this.#carryOut(reflector, reflector.answered(answer, retryAfterSeconds, now), now);
  }

  #carryOut(reflector: ClientReflector, command: Command, now: Tick): void {
    if (command === SEND) this.#send(reflector, now);
    else if (command === WAIT) {
      reflector.wakesAt = reflector.until;
      this.#host.schedule(reflector.until, reflector);
      if (reflector.state.informer.mode === "poll" && reflector.hasState) this.#finish(reflector, now);
    } else if (command === DONE) this.#finish(reflector, now);
  }

  #send(reflector: ClientReflector, now: Tick): void {
    const { copy } = reflector;
    const { agent } = copy;
    agent.requests++;
    if (reflector.attempt === 1) agent.calls++;
    else {
      agent.retries++;
      this.#host.servers[copy.server]?.noteRetry(now);
    }
    if (copy.connection === CONNECTED) {
      const server = this.#host.servers[copy.server];
      if (server !== undefined) this.#host.submit(reflector, server, now);
      return;
    }
    copy.pending.push(reflector);
    if (copy.connection === NOT_CONNECTED) this.#connect(copy, now);
  }

  #connect(copy: StormCopy, now: Tick): void {
    const server = this.pickServer();
    if (server === null) {
      copy.server = -1;
      for (const reflector of copy.pending.splice(0)) {
        copy.agent.failures++;
        this.#answer(reflector, REFUSED, -1, now);
      }
      return;
    }
    copy.server = server.index;
    copy.connection = SHAKING_HANDS;
    this.handshakes++;
    server.shakeHands(now, copy);
  }

  /** One that is up, at random by weight; `null`: none is. */
  pickServer(): ApiServer<StormCopy> | null {
    const { servers, random } = this.#host;
    let sum = 0;
    for (const { isDown, input } of servers) if (!isDown) sum += input.clientWeight;
    if (sum === 0) return null;
    let left = random() * sum;
    let last: ApiServer<StormCopy> | null = null;
    for (const server of servers) {
      if (server.isDown || server.input.clientWeight === 0) continue;
      last = server;
      left -= server.input.clientWeight;
      if (left < 0) break;
    }
    return last;
  }

  #gotState(reflector: ClientReflector, now: Tick): void {
    if (reflector.hasState) return;
    reflector.hasState = true;
    const { copy } = reflector;
    copy.missingStates--;
    if (copy.missingStates === 0) this.#synced(copy, now);
  }

  #synced(copy: StormCopy, now: Tick): void {
    if (copy.hasSynced) return;
    copy.hasSynced = true;
    copy.agent.syncs.add(now - copy.startTick);
    this.synced++;
    if (this.halfAt < 0 && 2 * this.synced >= this.copies) this.halfAt = now;
    if (this.synced === this.copies) this.listedAt = now;
  }

  #finish(reflector: ClientReflector, now: Tick): void {
    if (reflector.isDone) return;
    reflector.isDone = true;
    const { copy } = reflector;
    copy.missing--;
    if (copy.missing === 0) this.#copyDone(copy, now);
  }

  /** It reads nothing. */
  #finishEmpty(copy: StormCopy, now: Tick): void {
    this.#synced(copy, now);
    this.#copyDone(copy, now);
  }

  #copyDone(copy: StormCopy, now: Tick): void {
    if (copy.isDone) return;
    copy.isDone = true;
    copy.agent.copiesDone++;
    this.done++;
    this.progressAt = now;
    if (this.done === this.copies) this.doneAt = now;
  }
}

function restartWait(exits: number): Tick {
  return exits <= 1
    ? 0
    : toTicks(Math.min(FIRST_RESTART_SECONDS * 2 ** (exits - 2), LONGEST_RESTART_SECONDS));
}

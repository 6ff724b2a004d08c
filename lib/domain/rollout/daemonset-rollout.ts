import { BackOff } from "./back-off.ts";
import { ClientRateLimit } from "./client-rate-limit.ts";
import {
  type DaemonSetRolloutDump,
  type DaemonSetRolloutInput,
  type DaemonSetRolloutOutcome,
  type EventKind,
  isEverAvailable,
} from "./daemonset-rollout-types.ts";
import { BURST_REPLICAS } from "./daemonset-rules.ts";
import { EventClock } from "./event-clock.ts";
import {
  EMPTY,
  NEW_AVAILABLE,
  NEW_UNAVAILABLE,
  NODE_STATES,
  NodeQueue,
  type NodeState,
  NodeStates,
  OLD_AVAILABLE,
  OLD_UNAVAILABLE,
  SURGED,
  SURGING,
  stateName,
  TERMINATING,
  takingOrder,
} from "./node-states.ts";
import { processSeconds, spreadTicks, stoppingSeconds } from "./pod-durations.ts";
import { budgetWithoutSurge } from "./rolling-update.ts";
import { runToEnd } from "./run-to-end.ts";
import { sendSlowStart } from "./slow-start.ts";
import { type Tick, toSeconds, toTicks } from "./ticks.ts";

/**
 * A DaemonSet's rolling update from its first sync to its end, on an event clock: each sync decides as `core-loop.ts` and
 * `rolling-update.ts` do, on counts that are kept as pods change; its calls wait for the tokens of the controller's
 * client; pods take their time.
 *
 * Where it is simpler than the real thing: watch events arrive at once; a sync's own writes are observed when it ends, so
 * the rolling update step is left out of a sync whose core loop did anything; nodes neither come nor go; no call fails;
 * no other DaemonSet uses the bucket (lower `client` for that).
 *
 * Properties: equal inputs give equal traces; without surge at most `maxUnavailable` available old pods are replaced at a
 * time; no old pod is replaced twice; no sync creates or deletes more than 250.
 */

interface RolloutEvent {
  readonly kind: EventKind;
  /** Index of the node; -1 for events of the controller. */
  readonly node: number;
}

export class DaemonSetRollout {
  readonly #input: DaemonSetRolloutInput;
  readonly #clock = new EventClock<RolloutEvent>();
  readonly #client: ClientRateLimit;
  readonly #states: NodeStates;
  /** Nodes by what the controller would do with them, each in the order in which it is taken. */
  readonly #oldAvailable = new NodeQueue();
  readonly #oldUnavailable = new NodeQueue();
  readonly #empty = new NodeQueue();
  readonly #surged = new NodeQueue();
  /** Nodes with a new pod beside an old one that is not Ready: the core loop deletes that one. */
  readonly #surgingBroken = new NodeQueue();
  /** Nodes that a call of the sync under way concerns. */
  readonly #inCall = new Set<number>();
  /** New pods that are Ready and wait for minReadySeconds, by when they turned Ready. */
  readonly #waiting: { readonly node: number; readonly readyAt: Tick }[] = [];
  #waitingHead = 0;
  readonly #readyAt: Float64Array;
  readonly #backOff: BackOff<number> | null;
  readonly #isEverAvailable: boolean;
  readonly #startTicks: Tick[] = [];
  #isSyncing = false;
  #isQueued = true;
  #isStatusStale = true;
  #syncs = 0;
  #availableMin: number;

  constructor(input: DaemonSetRolloutInput) {
    this.#input = input;
    this.#client = new ClientRateLimit(input.client);
    this.#states = new NodeStates(input.nodes);
    this.#readyAt = new Float64Array(input.nodes.length).fill(-1);
    this.#backOff = input.newPods.kind === "crash-loop" ? new BackOff(input.newPods.backOff) : null;
    this.#isEverAvailable = isEverAvailable(input);
    for (const node of takingOrder(input.nodes.length, input.spread?.random)) this.#place(node);
    this.#availableMin = this.#states.available();
    this.#maybeSync();
  }

  get now(): Tick {
    return this.#clock.now;
  }

  /** Handles the next event; `false` where nothing is left to happen. */
  step(): boolean {
    const event = this.#clock.next();
    if (event === null) return false;
    this.#handle(event);
    this.#availableMin = Math.min(this.#availableMin, this.#states.available());
    this.#maybeSync();
    return true;
  }

  /** Goes on to the end: complete, stalled, replaced by pods that crash on, or the limit of time. */
  run(): DaemonSetRolloutOutcome {
    const ending = runToEnd({
      clock: this.#clock,
      limitSeconds: this.#input.limitSeconds,
      findEnd: () => this.#findEnd(),
      step: () => this.step(),
    });
    return this.#outcome(ending);
  }

  #findEnd(): "complete" | "replaced" | null {
    if (this.#states.count(NEW_AVAILABLE) === this.#states.size) return "complete";
    const isCrashing = this.#input.newPods.kind !== "healthy";
    return isCrashing && this.#oldLeft() === 0 && this.#isReplaced() ? "replaced" : null;
  }

  dump(): DaemonSetRolloutDump {
    return {
      seconds: toSeconds(this.now),
      nodes: Array.from(this.#states.codes, stateName),
      counts: Object.fromEntries(
        NODE_STATES.map((state, code) => [state, this.#states.count(code)]),
      ) as Record<NodeState, number>,
      controller: {
        isSyncing: this.#isSyncing,
        isQueued: this.#isQueued,
        tokens: this.#client.tokens(this.now),
      },
      pending: this.#clock
        .pending()
        .map(({ tick, event }) => ({ seconds: toSeconds(tick), kind: event.kind, node: event.node })),
    };
  }

  #place(node: number): void {
    const code = this.#states.at(node);
    this.#enqueue(node, code);
    if (code === TERMINATING) this.#after(stoppingSeconds(this.#input.durations), "gone", node);
    if (code === NEW_UNAVAILABLE || code === SURGING) this.#startPod(node);
  }

  #enqueue(node: number, code: number): void {
    if (code === OLD_AVAILABLE) this.#oldAvailable.push(node);
    else if (code === OLD_UNAVAILABLE) this.#oldUnavailable.push(node);
    else if (code === EMPTY) this.#empty.push(node);
    else if (code === SURGED) this.#surged.push(node);
    else if (code === SURGING && !this.#states.isOldAvailable(node)) this.#surgingBroken.push(node);
  }

  #move(node: number, code: number): void {
    this.#states.move(node, code);
    this.#enqueue(node, code);
    this.#isStatusStale = true;
    this.#isQueued = true;
  }

  #after(seconds: number, kind: EventKind, node: number): void {
    this.#clock.schedule(this.now + spreadTicks(seconds, this.#input.spread), { kind, node });
  }

  #handle({ kind, node }: RolloutEvent): void {
    switch (kind) {
      case "sync-end":
        this.#isSyncing = false;
        return;
      case "check":
        this.#isQueued = true;
        return;
      case "deleted":
        this.#inCall.delete(node);
        // Beside a new pod the old one's end matters to nobody; without one the node waits for it.
        if (this.#states.at(node) === SURGED) this.#move(node, NEW_AVAILABLE);
        else if (this.#states.at(node) === SURGING) this.#move(node, NEW_UNAVAILABLE);
        else {
          this.#move(node, TERMINATING);
          this.#after(stoppingSeconds(this.#input.durations), "gone", node);
        }
        return;
      case "gone":
        this.#move(node, EMPTY);
        return;
      case "created":
        this.#inCall.delete(node);
        this.#startTicks.push(this.now);
        this.#move(node, this.#states.at(node) === EMPTY ? NEW_UNAVAILABLE : SURGING);
        this.#startPod(node);
        return;
      case "process":
        this.#runProcess(node);
        return;
      case "ready":
        this.#becomeReady(node);
        return;
      case "ended":
        this.#endProcess(node);
        return;
      default: {
        const never: never = kind;
        throw new Error(`unknown event ${String(never)}`);
      }
    }
  }

  #startPod(node: number): void {
    if (this.#isEverAvailable) this.#after(processSeconds(this.#input.durations), "process", node);
  }

  #runProcess(node: number): void {
    const { durations, newPods, spread } = this.#input;
    const readyTicks = spreadTicks(durations.readySeconds, spread);
    if (newPods.kind === "crash-loop") {
      const runTicks = Math.max(1, toTicks(newPods.runSeconds));
      this.#clock.schedule(this.now + runTicks, { kind: "ended", node });
      if (readyTicks >= runTicks) return;
    }
    this.#clock.schedule(this.now + readyTicks, { kind: "ready", node });
  }

  #becomeReady(node: number): void {
    const { minReadySeconds } = this.#input;
    this.#readyAt[node] = this.now;
    this.#isQueued = true;
    if (minReadySeconds === 0) {
      this.#becomeAvailable(node);
      return;
    }
    this.#waiting.push({ node, readyAt: this.now });
    // The controller looks again one second after the pod could be available, if nothing makes it look before.
    this.#clock.schedule(this.now + toTicks(minReadySeconds + 1), { kind: "check", node: -1 });
  }

  #becomeAvailable(node: number): void {
    if (this.#states.at(node) === NEW_UNAVAILABLE) this.#move(node, NEW_AVAILABLE);
    else if (this.#states.at(node) === SURGING) this.#move(node, SURGED);
  }

  #endProcess(node: number): void {
    this.#readyAt[node] = -1;
    if (this.#states.at(node) === NEW_AVAILABLE) this.#move(node, NEW_UNAVAILABLE);
    else if (this.#states.at(node) === SURGED) this.#move(node, SURGING);
    const backOff = this.#backOff;
    if (backOff === null) return;
    const next = backOff.waitsUntil(node, this.now);
    backOff.advance(node, this.now, next);
    this.#clock.schedule(next, { kind: "process", node });
  }

  /** Pods whose time has come, by the comparison of the version. */
  #noticeAvailable(): void {
    const { minReadySeconds, rules } = this.#input;
    const neededTicks = toTicks(minReadySeconds);
    for (
      let next = this.#waiting[this.#waitingHead];
      next !== undefined;
      next = this.#waiting[this.#waitingHead]
    ) {
      const ticks = this.now - next.readyAt;
      if (rules.isAvailableAtMinReadySeconds ? ticks < neededTicks : ticks <= neededTicks) return;
      this.#waitingHead++;
      // A container that has ended since is Ready from another moment on, or not at all.
      if (this.#readyAt[next.node] === next.readyAt) this.#becomeAvailable(next.node);
    }
  }

  #maybeSync(): void {
    if (this.#isSyncing || !this.#isQueued) return;
    // What else happens at this very tick belongs to the same sync.
    if (this.#clock.nextTick === this.now) return;
    this.#isSyncing = true;
    this.#noticeAvailable();
    this.#isQueued = false;
    this.#syncs++;
    let done = this.#decideAndCall();
    if (this.#isStatusStale) {
      this.#isStatusStale = false;
      done = this.#client.take(done) + toTicks(this.#input.requestSeconds);
    }
    this.#clock.schedule(done, { kind: "sync-end", node: -1 });
  }

  /** The core loop where it has anything to do, otherwise the rolling update step. Returns when its calls are done. */
  #decideAndCall(): Tick {
    const isSurging = this.#input.maxSurge > 0;
    const created = this.#empty.take(BURST_REPLICAS, this.#states, EMPTY, this.#inCall);
    const deleted = isSurging ? this.#replacedBySurge() : [];
    const step = created.length + deleted.length > 0 ? "core-loop" : "rolling-update";
    if (step === "rolling-update") {
      if (isSurging) created.push(...this.#surge());
      else deleted.push(...this.#replaceInPlace());
    }
    if (created.length + deleted.length === 0) return this.now;
    this.#input.onSync?.({
      tick: this.now,
      states: this.#states.codes,
      step,
      created: created.length,
      deleted: deleted.length,
    });
    return this.#call(created, deleted);
  }

  #replaceInPlace(): readonly number[] {
    const states = this.#states;
    const budget = budgetWithoutSurge(
      this.#input.maxUnavailable,
      states.count(TERMINATING) + states.count(EMPTY) + states.count(NEW_UNAVAILABLE),
      states.count(OLD_UNAVAILABLE),
      this.#input.rules.countsOldUnavailable,
    );
    return this.#takeOld(budget);
  }

  #surge(): readonly number[] {
    return this.#takeOld(Math.max(0, this.#input.maxSurge - this.#states.count(SURGING)));
  }

  /** All nodes whose old pod is not available, and `budget` of those where it is. */
  #takeOld(budget: number): readonly number[] {
    const taken = this.#oldUnavailable.take(BURST_REPLICAS, this.#states, OLD_UNAVAILABLE, this.#inCall);
    const room = Math.min(budget, BURST_REPLICAS - taken.length);
    taken.push(...this.#oldAvailable.take(room, this.#states, OLD_AVAILABLE, this.#inCall));
    return taken;
  }

  /** Old pods beside an available new one, and those that are not Ready themselves. */
  #replacedBySurge(): number[] {
    const nodes = this.#surged.take(BURST_REPLICAS, this.#states, SURGED, this.#inCall);
    const room = BURST_REPLICAS - nodes.length;
    nodes.push(...this.#surgingBroken.take(room, this.#states, SURGING, this.#inCall));
    return nodes;
  }

  /** Sends the calls of a sync; returns the tick at which the last one has been answered. */
  #call(created: readonly number[], deleted: readonly number[]): Tick {
    const request = toTicks(this.#input.requestSeconds);
    const creations = { count: created.length, from: this.now, requestTicks: request };
    let done = sendSlowStart(creations, this.#client, (tick, index) =>
      this.#clock.schedule(tick, { kind: "created", node: created[index] ?? 0 }),
    );
    const startedAt = done;
    for (const node of deleted) {
      done = this.#client.take(startedAt) + request;
      this.#clock.schedule(done, { kind: "deleted", node });
    }
    return done;
  }

  #oldLeft(): number {
    const states = this.#states;
    return (
      states.count(OLD_AVAILABLE) +
      states.count(OLD_UNAVAILABLE) +
      states.count(SURGING) +
      states.count(SURGED)
    );
  }

  /** Every node has a new pod and no other. */
  #isReplaced(): boolean {
    return this.#states.count(NEW_UNAVAILABLE) + this.#states.count(NEW_AVAILABLE) === this.#states.size;
  }

  #outcome(kind: DaemonSetRolloutOutcome["kind"]): DaemonSetRolloutOutcome {
    return {
      kind,
      // The last event lies before the limit by as much as the next one is late.
      seconds: kind === "time-limit" ? this.#input.limitSeconds : toSeconds(this.now),
      replacedSeconds: this.#isReplaced() ? toSeconds(this.#startTicks.at(-1) ?? 0) : null,
      started: this.#startTicks.length,
      oldLeft: this.#oldLeft(),
      availableMin: this.#availableMin,
      syncs: this.#syncs,
      calls: this.#client.calls,
      startTicks: this.#startTicks,
    };
  }
}

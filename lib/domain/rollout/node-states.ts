/** What a node holds. Nodes that should run no pod are not among them. */
export const NODE_STATES = [
  "old-available",
  "old-unavailable",
  "terminating",
  "empty",
  "new-unavailable",
  "new-available",
  "both-new-unavailable",
  "both-new-available",
] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** Codes: places in `NODE_STATES`. */
export const OLD_AVAILABLE = 0;
export const OLD_UNAVAILABLE = 1;
export const TERMINATING = 2;
export const EMPTY = 3;
export const NEW_UNAVAILABLE = 4;
export const NEW_AVAILABLE = 5;
/** Old and new where the new one is not available yet. */
export const SURGING = 6;
/** Old and new where the old one may go. */
export const SURGED = 7;

export function stateName(code: number): NodeState {
  return NODE_STATES[code] ?? "empty";
}

/** The state of each node and how many are in each, kept together. */
export class NodeStates {
  readonly codes: Uint8Array;
  readonly #counts = new Array<number>(NODE_STATES.length).fill(0);
  /** 1 where the old pod of a node is available; means something while there is one. */
  readonly #isOldAvailable: Uint8Array;
  #surgingAvailable = 0;

  constructor(states: readonly NodeState[]) {
    this.codes = Uint8Array.from(states, (state) => NODE_STATES.indexOf(state));
    this.#isOldAvailable = this.codes.map((code) => (code === OLD_UNAVAILABLE ? 0 : 1));
    for (const code of this.codes) this.#add(code, 1);
    this.#surgingAvailable = this.count(SURGING);
  }

  get size(): number {
    return this.codes.length;
  }

  at(node: number): number {
    return this.codes[node] ?? EMPTY;
  }

  count(code: number): number {
    return this.#counts[code] ?? 0;
  }

  isOldAvailable(node: number): boolean {
    return this.#isOldAvailable[node] === 1;
  }

  move(node: number, code: number): void {
    const before = this.at(node);
    this.#add(before, -1);
    this.#add(code, 1);
    this.codes[node] = code;
    if (this.isOldAvailable(node)) {
      this.#surgingAvailable += (code === SURGING ? 1 : 0) - (before === SURGING ? 1 : 0);
    }
  }

  /** Nodes with a pod that is available. */
  available(): number {
    return (
      this.count(OLD_AVAILABLE) + this.count(NEW_AVAILABLE) + this.count(SURGED) + this.#surgingAvailable
    );
  }

  #add(code: number, by: number): void {
    this.#counts[code] = this.count(code) + by;
  }
}

/**
 * Nodes that the controller may take, first in, first out. A node may stand in it more than once, and may have moved on
 * since: only one that is in the given state, and not taken already, is given.
 */
export class NodeQueue {
  readonly #items: number[] = [];
  #head = 0;

  push(node: number): void {
    this.#items.push(node);
  }

  /** Up to `count` nodes in state `code`, none of which is in `taken`; they are then. */
  take(count: number, states: NodeStates, code: number, taken: Set<number>): number[] {
    const nodes: number[] = [];
    while (nodes.length < count) {
      const node = this.#items[this.#head];
      if (node === undefined) break;
      this.#head++;
      if (states.at(node) !== code || taken.has(node)) continue;
      taken.add(node);
      nodes.push(node);
    }
    return nodes;
  }
}

/** Nodes 0 to `count` - 1 in the order in which equal ones are taken: their own, or shuffled where chance is given. */
export function takingOrder(count: number, random: (() => number) | undefined): readonly number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  if (random === undefined) return order;
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const held = order[at] ?? 0;
    order[at] = order[other] ?? 0;
    order[other] = held;
  }
  return order;
}

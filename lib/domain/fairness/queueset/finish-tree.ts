/**
 * The least of some numbers, one per queue, and where it stands first when one looks from a given place on and around:
 * a tree of winners in an array. Changing a number and asking cost O(log n). Numbers start infinite.
 */
export class FinishTree {
  /** Leaves from `#leaves` on; node i has the children 2i and 2i + 1. */
  #nodes = Float64Array.of(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  #leaves = 1;

  /** Room for `size` numbers, all infinite. */
  reset(size: number): void {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(1, size)));
    this.#nodes = new Float64Array(2 * this.#leaves).fill(Number.POSITIVE_INFINITY);
  }

  set(index: number, value: number): void {
    const nodes = this.#nodes;
    let node = this.#leaves + index;
    if (at(nodes, node) === value) return;
    nodes[node] = value;
    while (node > 1) {
      const other = at(nodes, node ^ 1);
      const own = at(nodes, node);
      const least = Math.min(own, other);
      node >>= 1;
      if (at(nodes, node) === least) return;
      nodes[node] = least;
    }
  }

  get least(): number {
    return at(this.#nodes, 1);
  }

  /** Index of the first number equal to `least`, from `start` on, then from 0 on. `least` must be finite. */
  firstLeastFrom(start: number): number {
    const ahead = start < this.#leaves ? this.#firstLeastAt(start) : -1;
    return ahead < 0 ? this.#firstLeastAt(0) : ahead;
  }

  /** As `firstLeastFrom`, -1 where there is none from `start` on. */
  #firstLeastAt(start: number): number {
    const nodes = this.#nodes;
    const least = at(nodes, 1);
    let node = this.#leaves + start;
    while (at(nodes, node) !== least) {
      // To the next subtree on the right: up while we are a right child, then over to the brother.
      while ((node & 1) === 1) node >>= 1;
      if (node === 0) return -1;
      node++;
    }
    while (node < this.#leaves) {
      node <<= 1;
      if (at(nodes, node) !== least) node++;
    }
    return node - this.#leaves;
  }
}

/** An element that the callers keep within bounds; the type of an indexed read cannot know it. */
const at = (nodes: Float64Array, index: number): number => nodes[index] as number;

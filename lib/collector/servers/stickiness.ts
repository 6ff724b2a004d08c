import type { ConnectionId } from "../../kube/index.ts";
import { isMovedStart, isSameStart } from "./start-time.ts";

/**
 * What is known of how a shared address leads to servers: a balancer of connections (TCP) leads each to one server for
 * its life; one of requests (HTTP) may answer each request of a connection by another server.
 */
export interface Stickiness {
  /** One connection was answered by two servers; it is never forgotten. */
  readonly hasSpread: boolean;
  /** How often a connection was answered by the server that had answered it before. */
  readonly repeats: number;
  /** Whether some of the repeats came in another order than the reads before them. */
  readonly hasVaried: boolean;
  /** Passes that read through the address. */
  readonly passes: number;
  /** Who answered last, by slot. */
  readonly last: ReadonlyMap<
    number,
    { readonly connectionId: ConnectionId; readonly processStartAt: number }
  >;
}

export const UNKNOWN_STICKINESS: Stickiness = {
  hasSpread: false,
  repeats: 0,
  hasVaried: false,
  passes: 0,
  last: new Map(),
};

/** A balancer that picked a server at random for each request would have been found out with these odds. */
const ODDS = 50;
/** Every so many passes the connections are read in reverse. */
const REVERSE_EVERY = 3;

/**
 * Whether this pass reads the connections in reverse. A balancer that takes turns and has no other clients answers
 * reads in a constant order as if each connection had a server of its own; two orders give it away, whatever the
 * number of requests in between.
 */
export function isReversePass({ passes }: Stickiness): boolean {
  return passes % REVERSE_EVERY === REVERSE_EVERY - 1;
}

/** Takes in one `/metrics` page that was read through the address. */
export function noteAnswer(
  known: Stickiness,
  answer: {
    readonly slot: number;
    readonly connectionId: ConnectionId | null;
    readonly processStartAt: number | null;
    /** Read in another order than the reads before. */
    readonly isOutOfTurn: boolean;
  },
): Stickiness {
  const { slot, connectionId, processStartAt, isOutOfTurn } = answer;
  const before = known.last.get(slot);
  const last = new Map(known.last);
  if (connectionId === null || processStartAt === null) {
    last.delete(slot);
    return { ...known, last };
  }
  last.set(slot, { connectionId, processStartAt });
  if (before?.connectionId !== connectionId) return { ...known, last };
  if (isSameStart(before.processStartAt, processStartAt)) {
    return { ...known, last, repeats: known.repeats + 1, hasVaried: known.hasVaried || isOutOfTurn };
  }
  // A restart closes the connection, so this is another server, unless a clock was set.
  return {
    ...known,
    last,
    hasSpread: known.hasSpread || !isMovedStart(before.processStartAt, processStartAt),
  };
}

/**
 * Whether the address is known to lead each connection to one of `servers` servers. By chance a connection is answered
 * by the same server again in one of `servers` cases, so the fewer they are, the more repeats it takes.
 */
export function isSticky(known: Stickiness, servers: number): boolean {
  return !known.hasSpread && known.hasVaried && Math.max(2, servers) ** known.repeats >= ODDS;
}

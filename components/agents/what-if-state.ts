import type { StormBands } from "@/lib/domain/storm/bands";
import type { DrawnStorm, StormProgress } from "@/lib/domain/what-if/drawn-storm";
import type { SideStorm, WhatIfReply } from "@/lib/domain/what-if/what-if-runner";

/** What a page knows of the storm that it asked for last. */
export interface WhatIfState {
  /** Of the question that runs or ran last; `null`: nothing was asked yet. */
  readonly askId: number | null;
  /** The last storm that is over; of an older question while `isPending`. */
  readonly storm: DrawnStorm | null;
  /** Names the choice that `storm` is of. */
  readonly stormKey: string | null;
  readonly isPending: boolean;
  /** How far the new one has come; `null` before its first picture and after its end. */
  readonly progress: StormProgress | null;
  readonly bands: StormBands | null;
  readonly seedsWanted: number;
  /** Why it cannot be simulated; `null`: it can. */
  readonly failure: string | null;
  /** Storms beside it by their keys, those of older questions too; `null`: cannot be simulated. */
  readonly sides: ReadonlyMap<string, SideStorm | null>;
  /** False while something is still simulated. */
  readonly isDone: boolean;
}

export const NO_WHAT_IF: WhatIfState = {
  askId: null,
  storm: null,
  stormKey: null,
  isPending: true,
  progress: null,
  bands: null,
  seedsWanted: 0,
  failure: null,
  sides: new Map(),
  isDone: false,
};

/** Sides that are kept: what was looked at before is there at once when it is chosen again. */
const SIDES_MAX = 400;

export type WhatIfAction =
  | { readonly kind: "ask"; readonly id: number; readonly key: string; readonly seedsWanted: number }
  | { readonly kind: "reply"; readonly key: string; readonly reply: WhatIfReply }
  | { readonly kind: "broken"; readonly message: string };

/** Replies of older questions change nothing. */
export function reduceWhatIf(state: WhatIfState, action: WhatIfAction): WhatIfState {
  switch (action.kind) {
    case "ask":
      return {
        ...state,
        askId: action.id,
        seedsWanted: action.seedsWanted,
        // The same storm with more beside it is there already.
        isPending: state.stormKey !== action.key,
        progress: null,
        failure: null,
        isDone: false,
      };
    case "broken":
      return { ...state, isPending: false, isDone: true, progress: null, failure: action.message };
    case "reply":
      return action.reply.id === state.askId ? reduceReply(state, action.key, action.reply) : state;
  }
}

function reduceReply(state: WhatIfState, key: string, reply: WhatIfReply): WhatIfState {
  switch (reply.kind) {
    case "progress":
      return { ...state, progress: reply.progress };
    case "storm":
      return {
        ...state,
        storm: reply.storm,
        stormKey: key,
        isPending: false,
        progress: null,
        bands: state.stormKey === key ? state.bands : null,
      };
    case "side": {
      const sides = new Map(state.sides).set(reply.key, reply.side);
      const [oldest] = sides.keys();
      if (sides.size > SIDES_MAX && oldest !== undefined) sides.delete(oldest);
      return { ...state, sides };
    }
    case "bands":
      return { ...state, bands: reply.bands, seedsWanted: reply.seedsWanted };
    case "done":
      return { ...state, isDone: true };
    case "failed":
      return { ...state, isPending: false, isDone: true, progress: null, failure: reply.message };
  }
}

import { type Tick, toTicks } from "../rollout/ticks.ts";
import type { ReflectorRequest } from "./reflector-request.ts";
import type { RequestAnswer, StatusAnswer, StatusError, StreamEvent } from "./server-answer.ts";

/** One answer of a script, in the words of the vector set `reflector-requests`. */
export type ScriptedAnswer =
  /** A LIST: its version, and a token where there are more pages. */
  | { readonly kind: "ok"; readonly rv: string; readonly items?: number; readonly continue?: string }
  | StatusAnswer
  | { readonly kind: "refused" | "eof" | "reset" | "timeout" | "http2-lost" | "dns" }
  /** A watch that stays open. */
  | { readonly kind: "hold" }
  /** A watch that closes after `afterMs`, after `events` events whose versions follow on `rv`. */
  | { readonly kind: "close"; readonly rv?: string; readonly afterMs: number; readonly events?: number }
  /** A watch with an ERROR event after `afterMs`. */
  | ({ readonly kind: "error"; readonly afterMs: number } & StatusError)
  /** The initial state, its end, then open; closed or ended by an ERROR event 410 after `afterMs`. */
  | {
      readonly kind: "initial" | "initialClose" | "initial410";
      readonly rv: string;
      readonly items?: number;
      readonly afterMs?: number;
      readonly events?: number;
    };

/** Answers to LISTs, to ordinary WATCHes and to WATCHes with initial events, each in order; the last one repeats. */
export interface ServerScript {
  readonly list: readonly ScriptedAnswer[];
  readonly watch: readonly ScriptedAnswer[];
  readonly watchList: readonly ScriptedAnswer[];
}

/** An answer and the events of the stream that it opens, each so many ticks after the answer. */
export interface TimedAnswer {
  readonly answer: RequestAnswer;
  readonly events: readonly { readonly after: Tick; readonly event: StreamEvent }[];
}

/** The script as a server: a function that takes the next answer for each request. */
export function playScript(script: ServerScript): (request: ReflectorRequest) => ScriptedAnswer {
  const used = { list: 0, watch: 0, watchList: 0 };
  return ({ verb, isWatchList }) => {
    const kind = isWatchList ? "watchList" : verb;
    const answers = script[kind];
    const answer = answers[Math.min(used[kind], answers.length - 1)];
    if (answer === undefined) throw new RangeError(`the script has no answer for a ${kind}`);
    used[kind] += 1;
    return answer;
  };
}

/** What an answer of a script is on the wire. */
export function timeAnswer(scripted: ScriptedAnswer): TimedAnswer {
  switch (scripted.kind) {
    case "ok":
      return {
        answer: { kind: "list", resourceVersion: scripted.rv, continue: scripted.continue },
        events: [],
      };
    case "status":
      return { answer: scripted, events: [] };
    case "hold":
      return { answer: OPENED, events: [] };
    case "close":
      return {
        answer: OPENED,
        events: [...changes(scripted.rv ?? "0", scripted.events ?? 0), closes(scripted.afterMs)],
      };
    case "error":
      return { answer: OPENED, events: [at(scripted.afterMs, { kind: "error", error: scripted })] };
    case "initial":
    case "initialClose":
    case "initial410":
      return { answer: OPENED, events: initialState(scripted) };
    default:
      return { answer: { kind: "failed", failure: scripted.kind }, events: [] };
  }
}

const OPENED: RequestAnswer = { kind: "opened" };

const at = (ms: number, event: StreamEvent) => ({ after: toTicks(ms / 1000), event });
const closes = (ms: number) => at(ms, { kind: "closed" });

/** Events whose versions follow on `rv`, at once. */
function changes(rv: string, count: number): TimedAnswer["events"] {
  return Array.from({ length: count }, (_, i) =>
    at(0, { kind: "event", resourceVersion: String(Number(rv) + i + 1) }),
  );
}

function initialState(
  scripted: Extract<ScriptedAnswer, { rv: string; kind: `initial${string}` }>,
): TimedAnswer["events"] {
  const { rv, items = 0, events = 0, afterMs = 0 } = scripted;
  const state = [
    ...Array.from({ length: items }, () => at(0, { kind: "initial-event" })),
    at(0, { kind: "initial-events-end", resourceVersion: rv }),
    ...changes(rv, events),
  ];
  if (scripted.kind === "initialClose") state.push(closes(afterMs));
  if (scripted.kind === "initial410") {
    state.push(at(afterMs, { kind: "error", error: { code: 410, reason: "Expired" } }));
  }
  return state;
}

"use client";

import { useEffect, useReducer, useRef } from "react";
import type { StormInput } from "@/lib/domain/storm/storm-input";
import type { WhatIfAsk, WhatIfReply } from "@/lib/domain/what-if/what-if-runner";
import { NO_WHAT_IF, reduceWhatIf, type WhatIfState } from "./what-if-state";

/** What is to be simulated; `key` names it: equal keys are not asked for again. */
export interface WhatIfQuestion {
  readonly key: string;
  /** Names the storm alone: one that is there already is not dimmed while it is asked for with more beside it. */
  readonly stormKey: string;
  readonly input: StormInput;
  readonly sides: readonly { readonly key: string; readonly input: StormInput }[];
  readonly laterSides: readonly { readonly key: string; readonly input: StormInput }[];
  readonly furtherSeeds: readonly number[];
}

/**
 * Simulates in a worker that stays warm while the page is open: the newest question wins. `null`: nothing to ask yet.
 * Nothing leaves the browser.
 */
export function useWhatIf(question: WhatIfQuestion | null): WhatIfState {
  const [state, dispatch] = useReducer(reduceWhatIf, NO_WHAT_IF);
  const worker = useRef<Worker | null>(null);
  const asked = useRef({ id: 0, key: "", stormKey: "" });
  const known = useRef(state.sides);
  useEffect(() => {
    known.current = state.sides;
  }, [state.sides]);

  useEffect(() => {
    if (typeof Worker === "undefined") {
      dispatch({ kind: "broken", message: "This browser has no workers to simulate in." });
      return;
    }
    const started = new Worker(new URL("./what-if.worker.ts", import.meta.url), { type: "module" });
    started.onmessage = ({ data }: MessageEvent<WhatIfReply>) =>
      dispatch({ kind: "reply", key: asked.current.stormKey, reply: data });
    started.onerror = (event) => {
      event.preventDefault();
      dispatch({
        kind: "broken",
        message: event.message || "The worker that simulates could not be started.",
      });
    };
    worker.current = started;
    return () => {
      worker.current = null;
      asked.current = { id: asked.current.id, key: "", stormKey: "" };
      started.terminate();
    };
  }, []);

  useEffect(() => {
    if (question === null || worker.current === null || question.key === asked.current.key) return;
    const { key, stormKey, input, furtherSeeds } = question;
    const id = asked.current.id + 1;
    asked.current = { id, key, stormKey };
    const isNew = (side: { readonly key: string }) => !known.current.has(side.key);
    const ask: WhatIfAsk = {
      id,
      input,
      furtherSeeds,
      sides: question.sides.filter(isNew),
      laterSides: question.laterSides.filter(isNew),
    };
    dispatch({ kind: "ask", id, key: stormKey, seedsWanted: furtherSeeds.length + 1 });
    worker.current.postMessage(ask);
  }, [question]);
  return state;
}

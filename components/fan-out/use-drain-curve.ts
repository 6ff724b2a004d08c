"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import type { FanOutAgent, FanOutResponse } from "@/lib/contracts/fan-out";
import { type CurvePoint, type CurveStorm, curveNodes, joinCurve } from "@/lib/domain/fan-out/drain-curve";
import type { CurveMessage, CurveTask } from "./drain-curve.worker";

/** Seeds of the curve: fewer than of the table, since every point is a storm of its own. */
export const CURVE_SEEDS: readonly number[] = [1, 2, 3];

export type CurveState =
  | { readonly kind: "no-nodes" | "nothing" | "no-worker" }
  | { readonly kind: "failed"; readonly message: string }
  | {
      readonly kind: "curve";
      readonly points: readonly CurvePoint[];
      /** Storms done, of those wanted. */
      readonly done: number;
      readonly wanted: number;
    };

/**
 * Drain time of one agent against the number of nodes, simulated in a worker and growing as storms are done. Nothing
 * leaves the browser.
 */
export function useDrainCurve(
  facts: FanOutResponse["facts"],
  agent: FanOutAgent["agent"] | null,
  now: number,
): CurveState {
  const nodesNow = facts?.nodes ?? null;
  const nodes = useMemo(() => curveNodes(nodesNow), [nodesNow]);
  const wanted = nodes.length * CURVE_SEEDS.length;
  // Equal facts come as new objects with every answer: what is simulated is told by its text.
  const key = useMemo(
    () => (facts === null || agent === null ? null : JSON.stringify([withoutLoad(facts), agent])),
    [facts, agent],
  );
  const [state, setState] = useState<{ readonly key: string | null; readonly curve: CurveState }>({
    key: null,
    curve: { kind: "nothing" },
  });
  // The latest of each, read when a curve begins: figures that move with every answer begin none.
  const latest = useRef({ facts, agent, now });
  useEffect(() => {
    latest.current = { facts, agent, now };
  }, [facts, agent, now]);
  useEffect(() => {
    const { facts, agent, now } = latest.current;
    if (key === null || facts === null || agent === null || nodes.length === 0) return;
    if (typeof Worker === "undefined") return setState({ key, curve: { kind: "no-worker" } });
    const worker = new Worker(new URL("./drain-curve.worker.ts", import.meta.url), { type: "module" });
    const storms: CurveStorm[] = [];
    const show = (curve: CurveState) => setState({ key, curve });
    worker.onmessage = ({ data }: MessageEvent<CurveMessage>) => {
      switch (data.kind) {
        case "storm":
          storms.push(data.storm);
          return show({ kind: "curve", points: joinCurve(storms), done: storms.length, wanted });
        case "nothing":
          return show({ kind: "nothing" });
        case "failed":
          return show({ kind: "failed", message: data.message });
        case "done":
          worker.terminate();
      }
    };
    worker.onerror = ({ message }) => show({ kind: "failed", message });
    const task: CurveTask = { agent, facts, nodes: fromHere(nodes, facts.nodes), seeds: CURVE_SEEDS, now };
    worker.postMessage(task);
    return () => worker.terminate();
  }, [key, nodes, wanted]);
  if (facts === null || agent === null || nodes.length === 0) return { kind: "no-nodes" };
  return state.key === key ? state.curve : { kind: "curve", points: [], done: 0, wanted };
}

/** The steady load moves with every scrape: a curve is not drawn anew for it. */
const withoutLoad = (facts: NonNullable<FanOutResponse["facts"]>) => ({
  ...facts,
  background: [],
  observedAt: null,
});

/** The present number of nodes first, then the cheap ones. */
const fromHere = (nodes: readonly number[], here: number | null): readonly number[] => [
  ...nodes.filter((each) => each === here),
  ...nodes.filter((each) => each !== here),
];

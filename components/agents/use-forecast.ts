"use client";

import { useEffect, useState } from "react";
import type { NodeCount } from "@/lib/domain/storm/solvers/forecast-nodes";
import type { LargestInvisible } from "@/lib/domain/storm/solvers/largest-invisible";
import type { VerdictForecast } from "@/lib/domain/storm/solvers/verdict-forecast";
import type { StormInput } from "@/lib/domain/storm/storm-input";
import type { ForecastMessage, ForecastTask } from "./forecast.worker";

/** Numbers that are simulated for each answer: enough to halve a gap to a few percent. */
const BUDGET = 12;

export interface Forecast {
  readonly largest: LargestInvisible | null;
  readonly forecast: VerdictForecast | null;
  readonly failure: string | null;
}

const NOTHING: Forecast = { largest: null, forecast: null, failure: null };

/**
 * Searches in a worker of its own, so that the storm that is shown does not wait for it; begun once the page's own storm
 * is done. `key` names the input: equal ones are searched once.
 */
export function useForecast(
  key: string | null,
  input: StormInput | null,
  points: readonly NodeCount[],
): Forecast {
  const [state, setState] = useState<{ readonly key: string | null; readonly forecast: Forecast }>({
    key: null,
    forecast: NOTHING,
  });
  // Input and points are those of the key: they change with it alone.
  const [task, setTask] = useState<{ readonly key: string; readonly task: ForecastTask } | null>(null);
  if (key !== null && input !== null && task?.key !== key)
    setTask({ key, task: { input, points, budget: BUDGET } });
  useEffect(() => {
    if (task === null || typeof Worker === "undefined") return;
    const worker = new Worker(new URL("./forecast.worker.ts", import.meta.url), { type: "module" });
    const show = (change: Partial<Forecast>) =>
      setState((before) => ({
        key: task.key,
        forecast: { ...(before.key === task.key ? before.forecast : NOTHING), ...change },
      }));
    worker.onmessage = ({ data }: MessageEvent<ForecastMessage>) => {
      switch (data.kind) {
        case "largest":
          return show({ largest: data.largest });
        case "forecast":
          show({ forecast: data.forecast });
          return worker.terminate();
        case "failed":
          return show({ failure: data.message });
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      show({ failure: event.message });
    };
    worker.postMessage(task.task);
    return () => worker.terminate();
  }, [task]);
  return key !== null && state.key === key ? state.forecast : NOTHING;
}

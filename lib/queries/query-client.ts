import { QueryClient } from "@tanstack/react-query";
import { isWorthRetrying } from "./fetch-json.ts";

/** One per request on the server, one per page load in the browser. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < 1 && isWorthRetrying(error),
      },
      mutations: { retry: false },
    },
  });
}

/**
 * How often a page asks again: a third of the period of the part it shows, between 5 and 30 s, so that a new value is
 * on the page within one third of a period and an unchanged one costs an empty answer.
 */
export function refetchIntervalMs(periodSeconds: number): number {
  return Math.min(30, Math.max(5, periodSeconds / 3)) * 1000;
}

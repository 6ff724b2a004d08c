import { Counter, Histogram, Registry } from "prom-client";

interface RequestMetrics {
  readonly registry: Registry;
  readonly requests: Counter<"operation" | "status">;
  readonly seconds: Histogram<"operation">;
}

/** One per process, whatever a bundler makes of this module. */
const holder = globalThis as { __headroomRequestMetrics?: RequestMetrics };

/** Requests of the API by operation and status class, for our own `/metrics`. */
export function requestMetrics(): RequestMetrics {
  holder.__headroomRequestMetrics ??= createRequestMetrics();
  return holder.__headroomRequestMetrics;
}

function createRequestMetrics(): RequestMetrics {
  const registry = new Registry();
  return {
    registry,
    requests: new Counter({
      name: "headroom_http_requests_total",
      help: "Requests of the API by operation and status code.",
      labelNames: ["operation", "status"],
      registers: [registry],
    }),
    seconds: new Histogram({
      name: "headroom_http_request_duration_seconds",
      help: "Time from the arrival of a request of the API to its answer.",
      labelNames: ["operation"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    }),
  };
}

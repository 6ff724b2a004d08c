import { parseVersion } from "../kubernetes/version.ts";
import type { ClientRate } from "../rollout/client-rate-limit.ts";
import { type ClientGoRules, clientGoRules } from "./client-go.ts";

/** Clients whose informers are client-go's, told apart by what they set. */
export const INFORMER_CLIENTS = [
  "client-go",
  "controller-runtime",
  "kubelet",
  "kube-proxy",
  "kube-controller-manager",
  "kube-scheduler",
] as const;

export type InformerClientName = (typeof INFORMER_CLIENTS)[number];

/** How a client loads and watches. */
export interface InformerClient {
  readonly name: InformerClientName;
  /** The version of client-go inside. */
  readonly rules: ClientGoRules;
  /** WatchListClient as this client has it, unless it was set. */
  readonly watchListDefault: boolean;
  /** Requests per second and burst of one client; `null`: no limit of its own. */
  readonly rate: ClientRate | null;
  /** What shares that limit. */
  readonly rateIsPer: "client" | "controller" | "process";
  /** Seconds within which all caches of a controller must be filled, or the process exits; `null`: waits for ever. */
  readonly cacheSyncTimeoutSeconds: number | null;
  /** What else is known to differ, one sentence each. */
  readonly notes: readonly string[];
}

const DEFAULT_RATE: ClientRate = { qps: 5, burst: 10 };

/**
 * A client at a version: of client-go itself (`v0.34.1`, `1.34`), of controller-runtime (`v0.22.1`), or of Kubernetes
 * for its own components (`1.34.2`). Clients in other languages are not known well enough to be told here.
 *
 * @throws {RangeError} where the version does not parse.
 * Source: client-go rest/config.go; controller-runtime pkg/client/config and go.mod; kubernetes component defaults.
 */
export function informerClient(name: InformerClientName, version: string): InformerClient {
  const rules = clientGoRules(name === "controller-runtime" ? clientGoOfControllerRuntime(version) : version);
  const base: InformerClient = {
    name,
    rules,
    watchListDefault: rules.watchListDefault,
    rate: DEFAULT_RATE,
    rateIsPer: "client",
    cacheSyncTimeoutSeconds: null,
    notes: [],
  };
  const { minor } = rules.version;
  switch (name) {
    case "client-go":
      return base;
    case "kube-proxy":
      return { ...base, rateIsPer: "process" };
    case "kubelet":
      return { ...base, rate: minor >= 27 ? { qps: 50, burst: 100 } : DEFAULT_RATE, rateIsPer: "process" };
    case "kube-scheduler":
      return { ...base, rate: { qps: 50, burst: 100 }, rateIsPer: "process" };
    case "kube-controller-manager":
      return {
        ...base,
        watchListDefault: minor === 32 || minor >= 34,
        rate: { qps: 20, burst: 30 },
        rateIsPer: "controller",
        notes:
          minor === 32 || minor === 34
            ? ["It turns WatchListClient on by itself, though client-go has it off."]
            : [],
      };
    case "controller-runtime":
      return {
        ...base,
        rate: minor >= 33 ? null : { qps: 20, burst: 30 },
        rateIsPer: "process",
        cacheSyncTimeoutSeconds: 120,
        notes: [
          "Informers start with the first Get, List or Watch of a type, cluster-wide unless the cache is restricted.",
          "Typed, unstructured and metadata-only objects of one type are three informers.",
          "Caches that are not filled within 2 min end the process: each restart loads everything again.",
        ],
      };
  }
}

/** controller-runtime 0.N is built on client-go 0.(N + 12), seen from 0.14 to 0.25. */
function clientGoOfControllerRuntime(version: string): string {
  const parsed = parseVersion(version);
  if (parsed === null || parsed.major !== 0) {
    throw new RangeError(`"${version}" is not a version of controller-runtime such as v0.22.1.`);
  }
  return `0.${parsed.minor + 12}`;
}

import type { PartName, PartStatus, ReadFailureReason } from "../domain/clusters/part.ts";
import type { Fault } from "../fake-api-server/index.ts";

/** A thing that goes wrong with an API server, and what reading it then comes to. */
export interface FaultCase {
  readonly name: string;
  /** `refused`: nobody listens any more. */
  readonly fault: Fault | "refused";
  /** The failure as it is stored; `null` where the fault does no harm. */
  readonly reason: ReadFailureReason | null;
  /** A piece of the sentence that the page and the command line show. */
  readonly says: string;
  /** True where no other path would fare better, so that the pass ends with its first request. */
  readonly endsPass: boolean;
  /** False where it makes no sense on single paths. */
  readonly isPerPath: boolean;
}

export const FAULT_CASES: readonly FaultCase[] = [
  {
    name: "401",
    fault: { kind: "status", code: 401 },
    reason: "unauthorized",
    says: "(HTTP 401, GET ",
    endsPass: true,
    isPerPath: true,
  },
  {
    name: "403",
    fault: { kind: "status", code: 403 },
    reason: "forbidden",
    says: "(HTTP 403, GET ",
    endsPass: false,
    isPerPath: true,
  },
  {
    name: "410",
    fault: { kind: "status", code: 410 },
    reason: "gone",
    says: "(HTTP 410, GET ",
    endsPass: false,
    isPerPath: true,
  },
  {
    name: "429",
    fault: { kind: "status", code: 429, retryAfterSeconds: 0 },
    reason: "throttled",
    says: "(HTTP 429, GET ",
    endsPass: false,
    isPerPath: true,
  },
  {
    name: "500",
    fault: { kind: "status", code: 500 },
    reason: "server-error",
    says: "(HTTP 500, GET ",
    endsPass: false,
    isPerPath: true,
  },
  {
    name: "hang",
    fault: { kind: "hang" },
    reason: "timeout",
    says: "no answer within",
    endsPass: true,
    isPerPath: true,
  },
  {
    name: "drip",
    fault: { kind: "drip", chunkBytes: 1, pauseMs: 60 },
    reason: "timeout",
    says: "did not end within",
    endsPass: true,
    isPerPath: true,
  },
  {
    name: "truncation",
    fault: { kind: "truncate", afterBytes: 10 },
    reason: "truncated",
    says: "closed inside the body",
    endsPass: false,
    isPerPath: true,
  },
  {
    name: "garbage",
    fault: { kind: "html" },
    reason: "bad-body",
    says: "html",
    endsPass: false,
    isPerPath: true,
  },
  {
    name: "redirect",
    fault: { kind: "redirect", location: "https://login.example.com/" },
    reason: "redirect",
    says: "redirect",
    endsPass: true,
    isPerPath: true,
  },
  {
    name: "refused",
    fault: "refused",
    reason: "unreachable",
    says: "refused",
    endsPass: true,
    isPerPath: false,
  },
  {
    name: "clock skew",
    fault: { kind: "clock-skew", seconds: 3600 },
    reason: null,
    says: "",
    endsPass: false,
    isPerPath: true,
  },
];

/** The paths that each part reads; a fault on them costs that part. Sizes rest on `/metrics`, as others do besides. */
export const PART_PATHS: Readonly<Record<PartName, RegExp>> = {
  version: /^\/version$/,
  servers: /\/(leases|endpointslices)$/,
  sizes: /^\/metrics$/,
  fairness: /flowcontrol|^\/debug\//,
  inventory:
    /\/(daemonsets|deployments|statefulsets|clusterroles|clusterrolebindings|validatingwebhookconfigurations|mutatingwebhookconfigurations|apiservices|customresourcedefinitions)$/,
};

/** What is stored of one part under one fault, and the exit code of `headroom collect --once`. */
export interface ExpectedOutcome {
  readonly status: PartStatus;
  readonly reason: ReadFailureReason | null;
  readonly exitCode: 0 | 3;
}

/** Every path of the cluster is hit. */
export function expectEverywhere({ reason }: FaultCase): ExpectedOutcome {
  return reason === null ? { status: "ok", reason, exitCode: 0 } : { status: "failed", reason, exitCode: 3 };
}

/**
 * Only the paths of the part itself are hit: what it takes from elsewhere is still there. The inventory is many reads
 * of its own, of which a pass gives up the rest once three were throttled.
 */
export function expectOnOwnPaths({ reason }: FaultCase, part: PartName): ExpectedOutcome {
  if (reason === null) return { status: "ok", reason, exitCode: 0 };
  const isGivenUp = part === "inventory" && reason === "throttled";
  return { status: isGivenUp ? "failed" : "partial", reason, exitCode: 3 };
}

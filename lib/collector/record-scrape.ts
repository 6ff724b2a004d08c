import type { PassRecord, PermissionState, Store } from "../db/store.ts";
import type { ClusterEvent } from "../domain/clusters/event.ts";
import { PART_NAMES } from "../domain/clusters/part.ts";
import type { ChangeBaseline, ReadParts } from "./events/change-baseline.ts";
import { diffParts } from "./events/diff-parts.ts";
import { type PartPlan, periodSeconds } from "./schedule/plan-next.ts";
import type { ScrapeResult } from "./scrape-cluster.ts";
import { advanceReachability, type Reachability } from "./session/reachability.ts";

export interface RecordInput {
  readonly store: Pick<Store, "parts" | "clusters">;
  readonly clusterId: string;
  readonly clusterName: string;
  readonly result: ScrapeResult;
  readonly plan: PartPlan;
  readonly isIncident: boolean;
  readonly baseline: ChangeBaseline;
  readonly reachability: Reachability;
  readonly permissions: Readonly<Record<string, PermissionState>>;
  /** Events that the pass came with (an identity that changed). */
  readonly events: readonly ClusterEvent[];
}

export interface Recorded {
  readonly baseline: ChangeBaseline;
  readonly reachability: Reachability;
  readonly permissions: Readonly<Record<string, PermissionState>>;
  readonly events: readonly ClusterEvent[];
}

/** A permission is written again when it changed, or so that its age stays true. */
const PERMISSION_REFRESH_MS = 900_000;

/** Stores one pass with the changes it shows. @throws AppError `store-*`; then nothing of the pass counts as recorded. */
export async function recordScrape(input: RecordInput): Promise<Recorded> {
  const { store, clusterId, clusterName, result, plan } = input;
  const outcomes = result.parts.map(({ outcome }) => outcome);
  const reached = advanceReachability(input.reachability, {
    outcomes,
    startedAt: result.startedAt,
    clusterName,
  });
  const changes = diffParts({
    baseline: input.baseline,
    parts: readPartsOf(result),
    notReadLists: notReadListsOf(result),
    at: result.startedAt,
  });
  const events = [...input.events, ...reached.events, ...changes.events];
  await store.parts.recordPass(toPassRecord(input, events));
  if (reached.unreachableSince !== undefined) {
    await store.clusters.setUnreachableSince(clusterId, reached.unreachableSince);
  }
  const permissions = changedPermissions(input.permissions, result.permissions);
  if (Object.keys(permissions).length > 0) await store.clusters.mergePermissions(clusterId, permissions);
  return {
    baseline: changes.baseline,
    reachability: reached.state,
    permissions: { ...input.permissions, ...permissions },
    events,
  };

  function toPassRecord({ isIncident }: RecordInput, all: readonly ClusterEvent[]): PassRecord {
    return {
      clusterId,
      startedAt: result.startedAt,
      durationSeconds: result.durationSeconds,
      requests: result.requests,
      wireBytes: result.wireBytes,
      decodedBytes: result.decodedBytes,
      parts: result.parts,
      nextAttemptAt: Object.fromEntries(PART_NAMES.map((part) => [part, plan.dueAt[part]])),
      periodSeconds: Object.fromEntries(PART_NAMES.map((part) => [part, periodSeconds(part, isIncident)])),
      events: all,
      samplesAtSeconds: result.samplesAtSeconds,
      samples: result.samples,
    };
  }
}

/** The parts that a pass read, wholly or in part. */
export function readPartsOf(result: Pick<ScrapeResult, "parts">): ReadParts {
  return Object.fromEntries(
    result.parts.filter(({ value }) => value !== null).map(({ part, value }) => [part, value]),
  );
}

/** Lists of the inventory that it did not read. */
export function notReadListsOf(result: Pick<ScrapeResult, "parts">): ReadonlySet<string> {
  const inventory = result.parts.find(({ part }) => part === "inventory");
  return new Set(inventory?.outcome.notRead.map(({ what }) => what));
}

function changedPermissions(
  before: Readonly<Record<string, PermissionState>>,
  met: Readonly<Record<string, PermissionState>>,
): Record<string, PermissionState> {
  return Object.fromEntries(
    Object.entries(met).filter(([id, { state, at }]) => {
      const known = before[id];
      return known === undefined || known.state !== state || at - known.at > PERMISSION_REFRESH_MS;
    }),
  );
}

import type { Frame } from "../../contracts/common.ts";
import type { CollectorState } from "../../db/store.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import type { ServiceContext } from "../context.ts";
import { describeCollector } from "./describe-collector.ts";

/** What the frame counts of each cluster. */
export interface FrameCluster {
  readonly cluster: { readonly isDemo: boolean; readonly unreachableSince: number | null };
  readonly dataAt: number | null;
  readonly isStale: boolean;
}

/** The frame of a page from what was loaded for it. It is a demo when every cluster belongs to the demo fleet. */
export function makeFrame(
  context: ServiceContext,
  now: number,
  clusters: readonly FrameCluster[],
  {
    collector,
    storeTrouble,
  }: { readonly collector: CollectorState | null; readonly storeTrouble: string | null },
): Frame {
  return {
    now,
    version: HEADROOM_VERSION,
    isDemo: clusters.length > 0 && clusters.every((each) => each.cluster.isDemo),
    clusters: clusters.length,
    freshClusters: clusters.filter(
      (each) => each.dataAt !== null && !each.isStale && each.cluster.unreachableSince === null,
    ).length,
    collector: describeCollector({ supervision: context.readSupervision(), stored: collector, now }),
    storeNotice: storeTrouble ?? context.storeNotice,
  };
}

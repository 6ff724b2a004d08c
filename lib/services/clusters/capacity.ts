import type { OverviewResponse } from "../../contracts/cluster.ts";
import type { FeatureGate, VersionPart } from "../../domain/clusters/version-part.ts";
import type { ClusterPage } from "./load-cluster-page.ts";

/** First minor in which a LIST is priced by stored bytes. Source: apiserver list_work_estimator.go, v1.34. */
const SIZE_BASED_MINOR = 34;

/** What one API server of the cluster can give: the busiest one. There is no figure over several servers. */
export function describeCapacity(
  page: ClusterPage,
  measured: { readonly residentMemoryBytes: number | null; readonly storageBytes: number | null },
): OverviewResponse["capacity"] {
  const busiest = page.one.summary?.busiest ?? null;
  const server = page.parts.fairness?.value?.servers.find((each) => each.serverId === busiest?.serverId);
  const nominal = (server?.levels ?? []).flatMap((each) =>
    each.nominalSeats === null ? [] : [each.nominalSeats],
  );
  const level = server?.levels.find((each) => each.priorityLevelName === busiest?.priorityLevelName);
  const version = page.parts.version?.value ?? null;
  return {
    totalNominalSeats: nominal.length === 0 ? null : nominal.reduce((sum, seats) => sum + seats, 0),
    busiestLevel: level
      ? {
          // What an idle level keeps follows from lending, which the API server does not publish.
          idleSeats: null,
          nominalSeats: level.nominalSeats,
          currentLimitSeats: level.currentLimitSeats,
        }
      : null,
    ...measured,
    listCostModel: version === null ? null : describeListCost(version),
    watchListServer: version === null ? null : describeGate(version, "WatchList"),
  };
}

function describeListCost({ major, minor }: VersionPart): string {
  return major > 1 || minor >= SIZE_BASED_MINOR
    ? "by stored bytes (1.34 and later)"
    : "by object count (before 1.34)";
}

/** `on`, `off`, or how many servers have it on where they differ; `null` where no server publishes the gate. */
function describeGate(version: VersionPart, name: string): string | null {
  const states = version.servers.flatMap(({ gates }) => findGate(gates, name) ?? []);
  const on = states.filter((each) => each.enabled).length;
  if (states.length === 0) return null;
  if (on === states.length) return "on";
  return on === 0 ? "off" : `on for ${on} of ${states.length} API servers`;
}

const findGate = (gates: readonly FeatureGate[] | null, name: string): FeatureGate | undefined =>
  gates?.find((each) => each.name === name);

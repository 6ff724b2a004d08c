import type { StormBands } from "../bands.ts";
import type { VerdictName } from "../verdict.ts";

/** How something broken comes to be noticed, and how long that takes at the longest. */
export interface DetectionPath {
  readonly name: string;
  readonly seconds: number;
}

/** Clusters that get a change together. */
export interface RolloutStage {
  readonly clusters: readonly {
    readonly name: string;
    readonly verdict: VerdictName;
    /** From the begin of the stage until requests are rejected there; `null`: nothing breaks. */
    readonly breaksAfterSeconds: number | null;
  }[];
  /** Waited after its begin until the next stage begins; of the last one until the rollout counts as done. */
  readonly soakSeconds: number;
}

export interface TimedStage {
  readonly startsAtSeconds: number;
  readonly clusters: readonly string[];
  /** First of them to break; `null`: none does, so however long it soaks nothing is found. */
  readonly breaksAtSeconds: number | null;
  /** When that is noticed, by the quickest path there is. */
  readonly noticedAtSeconds: number | null;
  readonly noticedBy: string | null;
  readonly soakSeconds: number;
  /** What shows within the soak: `null` where nothing breaks. */
  readonly isFoundInSoak: boolean | null;
}

export interface RolloutTimeline {
  readonly stages: readonly TimedStage[];
  /** First that anybody notices; `null`: nothing breaks. */
  readonly noticedAtSeconds: number | null;
  /** Clusters that are broken by then, by name. */
  readonly brokenWhenNoticed: readonly string[];
  /** Soak of a stage that would show what breaks there: time to break and the slowest path. 0 where nothing breaks. */
  readonly neededSoakSeconds: number;
}

/** When a staged rollout breaks what, and when that is noticed: a soak shorter than the detection path finds nothing. */
export function rolloutTimeline(
  stages: readonly RolloutStage[],
  paths: readonly DetectionPath[],
): RolloutTimeline {
  const quickest = paths.toSorted((a, b) => a.seconds - b.seconds)[0] ?? null;
  const slowest = Math.max(0, ...paths.map(({ seconds }) => seconds));
  const broken: { readonly name: string; readonly at: number }[] = [];
  let startsAtSeconds = 0;
  let neededSoakSeconds = 0;
  const timed = stages.map(({ clusters, soakSeconds }): TimedStage => {
    const start = startsAtSeconds;
    startsAtSeconds += soakSeconds;
    const breaks = clusters.flatMap(({ name, breaksAfterSeconds }) =>
      breaksAfterSeconds === null ? [] : [{ name, at: start + breaksAfterSeconds }],
    );
    broken.push(...breaks);
    const breaksAtSeconds = breaks.length === 0 ? null : Math.min(...breaks.map(({ at }) => at));
    if (breaksAtSeconds !== null)
      neededSoakSeconds = Math.max(neededSoakSeconds, breaksAtSeconds - start + slowest);
    const noticedAtSeconds =
      breaksAtSeconds === null || quickest === null ? null : breaksAtSeconds + quickest.seconds;
    return {
      startsAtSeconds: start,
      clusters: clusters.map(({ name }) => name),
      breaksAtSeconds,
      noticedAtSeconds,
      noticedBy: noticedAtSeconds === null ? null : (quickest?.name ?? null),
      soakSeconds,
      isFoundInSoak:
        breaksAtSeconds === null
          ? null
          : noticedAtSeconds !== null && noticedAtSeconds <= start + soakSeconds,
    };
  });
  const noticed = timed.flatMap((each) => each.noticedAtSeconds ?? []);
  const noticedAtSeconds = noticed.length === 0 ? null : Math.min(...noticed);
  return {
    stages: timed,
    noticedAtSeconds,
    brokenWhenNoticed: broken
      .filter(({ at }) => at <= (noticedAtSeconds ?? Infinity))
      .map(({ name }) => name),
    neededSoakSeconds,
  };
}

/** Seconds until the busiest level rejects, in the median of the seeds; where none does until requests wait; `null`: neither. */
export function firstHarmSeconds({ series }: Pick<StormBands, "series">): number | null {
  const first = (bands: readonly { readonly p50: number }[]) => bands.findIndex(({ p50 }) => p50 > 0);
  const rejected = first(series.rejected);
  const step = rejected >= 0 ? rejected : first(series.waitingRequests);
  return step < 0 ? null : step * series.stepSeconds;
}

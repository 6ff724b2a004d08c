import { isAtLeast, type KubernetesVersion, ruleVersion } from "../kubernetes/version.ts";
import { BackOff, IMAGE_PULL_BACK_OFF } from "./back-off.ts";
import { type ClientRate, ClientRateLimit } from "./client-rate-limit.ts";
import { EventClock } from "./event-clock.ts";
import type { Tick } from "./ticks.ts";

/** What of a kubelet's configuration paces the pods of its node. */
export interface KubeletPace {
  /** Its own calls to the API server. */
  readonly api: ClientRate;
  /** Its events. */
  readonly events: ClientRate;
  /** Pulls it starts; one beyond it fails ("pull QPS exceeded") and goes into back-off. `null`: no limit. */
  readonly pulls: ClientRate | null;
  /** Pulls at a time: 1 where they are serial, `null` where nothing bounds them. */
  readonly parallelPulls: number | null;
}

/**
 * A kubelet's defaults. Nothing else limits how many pods a node starts at a time.
 * Source: kubernetes pkg/kubelet/apis/config/v1beta1/defaults.go, read at v1.26.15, v1.33.13, v1.37.2.
 *
 * @throws {RangeError} where a text is no version.
 */
export function kubeletPace(version: string | KubernetesVersion): KubeletPace {
  const hasMore = isAtLeast(ruleVersion(version), 27);
  const rate = hasMore ? { qps: 50, burst: 100 } : { qps: 5, burst: 10 };
  return { api: rate, events: rate, pulls: { qps: 5, burst: 10 }, parallelPulls: 1 };
}

export interface PodToPull {
  /** When the kubelet comes to pull for it. */
  readonly atTick: Tick;
  /** Pods with the same image wait for one pull: what is on the node takes no time. */
  readonly image: string;
  readonly pullTicks: Tick;
}

export interface PodPull {
  /** When its image was there. */
  readonly doneTick: Tick;
  /** Ticks from `atTick` until the pull began: in the queue, and in back-off. */
  readonly waitTicks: Tick;
  /** Times that the pull was refused by the kubelet's own limit. */
  readonly refusals: number;
}

/**
 * The pulls of one node's pods, in the order of the input. Pulls queue for a free place; one that begins without a token
 * fails at once and is tried again when its back-off (10 s, doubling to 300 s) is over; that the kubelet looks again only
 * some seconds later is left out.
 * Source: kubernetes pkg/kubelet/images (puller.go, helpers.go, image_manager.go), v1.37.2.
 */
export function simulateImagePulls(
  pods: readonly PodToPull[],
  { pulls, parallelPulls }: Pick<KubeletPace, "pulls" | "parallelPulls">,
): readonly PodPull[] {
  const clock = new EventClock<{ readonly pod: number; readonly isDone: boolean }>();
  const limit = pulls === null ? null : new ClientRateLimit(pulls);
  const backOff = new BackOff<number>(IMAGE_PULL_BACK_OFF);
  const present = new Set<string>();
  const queue: number[] = [];
  const refusals = pods.map(() => 0);
  const results: PodPull[] = pods.map(() => ({ doneTick: 0, waitTicks: 0, refusals: 0 }));
  let running = 0;
  for (const [pod, { atTick }] of pods.entries()) clock.schedule(atTick, { pod, isDone: false });

  const begin = (pod: number) => {
    const { atTick = 0, image = "", pullTicks = 0 } = pods[pod] ?? {};
    if (limit !== null && !limit.tryTake(clock.now)) {
      refusals[pod] = (refusals[pod] ?? 0) + 1;
      backOff.advance(pod, clock.now, clock.now);
      clock.schedule(backOff.waitsSinceEntryUntil(pod, clock.now), { pod, isDone: false });
      return;
    }
    const doneTick = clock.now + (present.has(image) ? 0 : pullTicks);
    results[pod] = { doneTick, waitTicks: clock.now - atTick, refusals: refusals[pod] ?? 0 };
    running++;
    clock.schedule(doneTick, { pod, isDone: true });
  };

  for (let event = clock.next(); event !== null; event = clock.next()) {
    if (event.isDone) {
      running--;
      present.add(pods[event.pod]?.image ?? "");
    } else queue.push(event.pod);
    while (queue.length > 0 && (parallelPulls === null || running < parallelPulls)) {
      const pod = queue.shift();
      if (pod !== undefined) begin(pod);
    }
  }
  return results;
}

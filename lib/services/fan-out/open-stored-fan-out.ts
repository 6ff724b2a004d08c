import { AGENT_CATALOGUE } from "../../domain/agents/catalogue/catalogue.ts";
import { isStale, PART_NAMES } from "../../domain/clusters/part.ts";
import { type FanOut, openFanOut } from "../../domain/fan-out/open-fan-out.ts";
import type { ClusterPage } from "../clusters/load-cluster-page.ts";
import type { ServiceContext } from "../context.ts";

interface Kept {
  readonly key: string;
  readonly fanOut: FanOut | null;
}

const KEPT_MAX = 16;
/** Pages ask again every few seconds, and what is priced changes every few minutes. */
const kept = new Map<string, Kept>();

/** The agents of a cluster priced on what is stored of it; `null` where its workloads were never read. */
export async function openStoredFanOut(
  { store }: Pick<ServiceContext, "store">,
  { one, parts, frame }: ClusterPage,
): Promise<FanOut | null> {
  const { id, name, labels } = one.cluster;
  const { now } = frame;
  const [learned] = await store.learnedAgents.list(id);
  const key = JSON.stringify([
    learned?.storedAt ?? null,
    name,
    labels,
    PART_NAMES.map((part) => {
      const state = parts[part];
      return state === undefined ? null : [state.valueAt, isStale(state, now)];
    }),
  ]);
  const known = kept.get(id);
  if (known?.key === key) return known.fanOut;
  const fanOut = openFanOut({
    clusterName: name,
    labels,
    parts,
    learned: learned?.learned.agents ?? [],
    catalogue: AGENT_CATALOGUE,
    now,
  });
  kept.delete(id);
  kept.set(id, { key, fanOut });
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return fanOut;
}

import type { Metadata } from "next";
import { z } from "zod";

/** Ids of clusters are short and made by Headroom; anything else is no cluster. */
const ClusterIdSchema = z.string().min(1).max(128);

interface Props {
  readonly params: Promise<{ readonly clusterId: string }>;
}

/** Title of a cluster page. The id is made from the first name of the cluster, so no store is asked for it. */
export function clusterMetadata(titleOf: (clusterId: string) => string): (props: Props) => Promise<Metadata> {
  return async ({ params }) => {
    const clusterId = await readClusterId(params);
    return { title: clusterId === null ? "Not found" : titleOf(clusterId) };
  };
}

/** The id as it stands in the path, decoded; `null` where it cannot be one. */
export async function readClusterId(params: Props["params"]): Promise<string | null> {
  const { clusterId } = await params;
  try {
    return ClusterIdSchema.safeParse(decodeURIComponent(clusterId)).data ?? null;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

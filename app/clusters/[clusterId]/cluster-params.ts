import { z } from "zod";

/** Ids of clusters are short and made by Headroom; anything else is no cluster. */
const ClusterIdSchema = z.string().min(1).max(128);

/** The id as it stands in the path, decoded; `null` where it cannot be one. */
export async function readClusterId(params: Promise<{ readonly clusterId: string }>): Promise<string | null> {
  const { clusterId } = await params;
  try {
    return ClusterIdSchema.safeParse(decodeURIComponent(clusterId)).data ?? null;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

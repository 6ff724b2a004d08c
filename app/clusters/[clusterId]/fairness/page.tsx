import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { FairnessPage } from "@/components/fairness/fairness-page";
import { fairnessQuery } from "@/lib/queries/clusters";
import { getFairness } from "@/lib/services/fairness/get-fairness";
import { Prefetched } from "../../../prefetch";
import { readClusterId } from "../cluster-params";

export const metadata: Metadata = { title: "Fairness" };

export default async function Page({ params }: { params: Promise<{ clusterId: string }> }) {
  const clusterId = await readClusterId(params);
  if (clusterId === null) notFound();
  return (
    <Prefetched
      queries={[
        {
          queryKey: fairnessQuery(clusterId).queryKey,
          read: (context) => getFairness(context, { clusterId }),
        },
      ]}
    >
      <FairnessPage clusterId={clusterId} />
    </Prefetched>
  );
}

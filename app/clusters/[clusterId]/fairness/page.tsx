import { notFound } from "next/navigation";
import { FairnessPage } from "@/components/fairness/fairness-page";
import { fairnessQuery, flowControlQuery } from "@/lib/queries/clusters";
import { getFairness } from "@/lib/services/fairness/get-fairness";
import { getFlowControl } from "@/lib/services/fairness/get-flow-control";
import { Prefetched } from "../../../prefetch";
import { clusterMetadata, readClusterId } from "../cluster-params";

export const generateMetadata = clusterMetadata((id) => `${id} fairness`);

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
        {
          queryKey: flowControlQuery(clusterId).queryKey,
          read: (context) => getFlowControl(context, { clusterId }),
        },
      ]}
    >
      <FairnessPage clusterId={clusterId} />
    </Prefetched>
  );
}

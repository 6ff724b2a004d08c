import { notFound } from "next/navigation";
import { OverviewPage } from "@/components/clusters/overview-page";
import { overviewQuery } from "@/lib/queries/clusters";
import { getOverview } from "@/lib/services/clusters/get-overview";
import { Prefetched } from "../../prefetch";
import { clusterMetadata, readClusterId } from "./cluster-params";

export const generateMetadata = clusterMetadata((id) => id);

export default async function Page({ params }: { params: Promise<{ clusterId: string }> }) {
  const clusterId = await readClusterId(params);
  if (clusterId === null) notFound();
  return (
    <Prefetched
      queries={[
        {
          queryKey: overviewQuery(clusterId).queryKey,
          read: (context) => getOverview(context, { clusterId }),
        },
      ]}
    >
      <OverviewPage clusterId={clusterId} />
    </Prefetched>
  );
}

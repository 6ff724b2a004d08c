import { notFound } from "next/navigation";
import { FanOutPage } from "@/components/fan-out/fan-out-page";
import { fanOutQuery } from "@/lib/queries/clusters";
import { getFanOut } from "@/lib/services/fan-out/get-fan-out";
import { Prefetched } from "../../../prefetch";
import { clusterMetadata, readClusterId } from "../cluster-params";

export const generateMetadata = clusterMetadata((id) => `${id} fan-out`);

export default async function Page({ params }: { params: Promise<{ clusterId: string }> }) {
  const clusterId = await readClusterId(params);
  if (clusterId === null) notFound();
  return (
    <Prefetched
      queries={[
        { queryKey: fanOutQuery(clusterId).queryKey, read: (context) => getFanOut(context, { clusterId }) },
      ]}
    >
      <FanOutPage clusterId={clusterId} />
    </Prefetched>
  );
}

import { notFound } from "next/navigation";
import { HistoryPage } from "@/components/history/history-page";
import { HistoryQuerySchema } from "@/lib/contracts/history";
import { historyQuery } from "@/lib/queries/clusters";
import { getHistory } from "@/lib/services/history/get-history";
import { Prefetched } from "../../../prefetch";
import { clusterMetadata, readClusterId } from "../cluster-params";

export const generateMetadata = clusterMetadata((id) => `${id} history`);

export default async function Page(props: {
  params: Promise<{ clusterId: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const clusterId = await readClusterId(props.params);
  if (clusterId === null) notFound();
  const wanted = HistoryQuerySchema.safeParse(await props.searchParams);
  const query = wanted.success ? wanted.data : HistoryQuerySchema.parse({});
  return (
    <Prefetched
      queries={[
        {
          queryKey: historyQuery(clusterId, query).queryKey,
          read: (context) => getHistory(context, { clusterId, query }),
        },
      ]}
    >
      <HistoryPage clusterId={clusterId} />
    </Prefetched>
  );
}

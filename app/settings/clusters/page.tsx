import type { Metadata } from "next";
import { SettingsClustersPage } from "@/components/settings/settings-clusters-page";
import { settingsClustersQuery } from "@/lib/queries/settings";
import { getSettingsClusters } from "@/lib/services/settings/get-settings-clusters";
import { Prefetched } from "../../prefetch";

export const metadata: Metadata = { title: "Clusters, settings" };

export default function Page() {
  return (
    <Prefetched queries={[{ queryKey: settingsClustersQuery().queryKey, read: getSettingsClusters }]}>
      <SettingsClustersPage />
    </Prefetched>
  );
}

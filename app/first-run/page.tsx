import type { Metadata } from "next";
import { FirstRunPage } from "@/components/first-run/first-run-page";
import { fleetQuery } from "@/lib/queries/fleet";
import { settingsClustersQuery } from "@/lib/queries/settings";
import { getFleet } from "@/lib/services/fleet/get-fleet";
import { getSettingsClusters } from "@/lib/services/settings/get-settings-clusters";
import { Prefetched } from "../prefetch";

export const metadata: Metadata = { title: "Add a cluster" };

export default function Page() {
  return (
    <Prefetched
      queries={[
        { queryKey: fleetQuery().queryKey, read: getFleet },
        { queryKey: settingsClustersQuery().queryKey, read: getSettingsClusters },
      ]}
    >
      <FirstRunPage />
    </Prefetched>
  );
}

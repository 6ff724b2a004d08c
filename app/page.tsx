import type { Metadata } from "next";
import { FleetPage } from "@/components/fleet/fleet-page";
import { changesQuery, fleetQuery } from "@/lib/queries/fleet";
import { getChanges } from "@/lib/services/fleet/get-changes";
import { getFleet } from "@/lib/services/fleet/get-fleet";
import { Prefetched } from "./prefetch";

export const metadata: Metadata = { title: "Fleet" };

export default function Page() {
  return (
    <Prefetched
      queries={[
        { queryKey: fleetQuery().queryKey, read: getFleet },
        { queryKey: changesQuery().queryKey, read: getChanges },
      ]}
    >
      <FleetPage />
    </Prefetched>
  );
}

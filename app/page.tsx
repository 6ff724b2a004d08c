import type { Metadata } from "next";
import { FleetPage } from "@/components/fleet/fleet-page";
import { changesQuery, fleetQuery } from "@/lib/queries/fleet";
import { getChanges } from "@/lib/services/fleet/get-changes";
import { getFleet } from "@/lib/services/fleet/get-fleet";
import { Prefetched } from "./prefetch";

/** In full, since the layout's template is for the segments below it. */
export const metadata: Metadata = { title: { absolute: "Fleet · Headroom" } };

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

"use client";

import { useQuery } from "@tanstack/react-query";
import { PageHead } from "@/components/frame/page-head";
import { Panel } from "@/components/ui/panel";
import { FailedState, LoadingPanel } from "@/components/ui/panel-states";
import { fleetQuery } from "@/lib/queries/fleet";
import { settingsClustersQuery } from "@/lib/queries/settings";
import { FirstRunPanel } from "./first-run-panel";

/** How do I see my own clusters here, and what would that cost them? */
export function FirstRunPage() {
  const fleet = useQuery(fleetQuery());
  const settings = useQuery(settingsClustersQuery());
  return (
    <>
      <PageHead title="Add a cluster" />
      {fleet.data !== undefined ? (
        <FirstRunPanel
          frame={fleet.data.frame}
          ownCost={fleet.data.totals.ownCost}
          {...(settings.data === undefined ? {} : { budget: settings.data.budget })}
        />
      ) : fleet.isError ? (
        <Panel title="First run">
          <FailedState what="The fleet" error={fleet.error} onRetry={() => void fleet.refetch()} />
        </Panel>
      ) : (
        <LoadingPanel title="First run" />
      )}
    </>
  );
}

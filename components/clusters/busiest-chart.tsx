"use client";

import { useMemo } from "react";
import { prepareChart } from "@/components/charts/prepare-chart";
import { TimeChart } from "@/components/charts/time-chart";
import { Panel, PanelBody } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import type { OverviewResponse } from "@/lib/contracts/cluster";
import { formatDuration } from "@/lib/format/duration";

const DAY_MS = 86_400_000;

/** Seats of the busiest level on the busiest API server against its current limit, over a day. */
export function BusiestChart({ response, className }: { response: OverviewResponse; className?: string }) {
  const { busiest, busiestSeries, servers, frame } = response;
  const title =
    busiest === null
      ? "Busiest level, 24 h"
      : `${busiest.priorityLevelName}, busiest API server (${busiest.serverName}), 24 h`;
  const chart = useMemo(
    () =>
      prepareChart({
        title,
        series: busiestSeries,
        fromAt: frame.now - DAY_MS,
        toAt: frame.now,
        entities: servers.map(({ name }) => name),
      }),
    [title, busiestSeries, servers, frame.now],
  );
  const step = busiestSeries[0]?.stepSeconds;
  return (
    <Panel
      title={title}
      className={className}
      meta={step === undefined ? null : `measured, ${formatDuration(step)}`}
    >
      {busiest === null ? (
        <EmptyState lead="No level is known yet">
          Seats come with the first read of the fairness metrics.
        </EmptyState>
      ) : (
        <PanelBody>
          <TimeChart chart={chart} drawing="small" height={210} />
        </PanelBody>
      )}
    </Panel>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { DemoNotice } from "@/components/first-run/demo-notice";
import { FirstRunPanel } from "@/components/first-run/first-run-panel";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { PageHead } from "@/components/frame/page-head";
import { RefreshNotice } from "@/components/frame/refresh-notice";
import { parseSort, writeSort } from "@/components/tables/sort-text";
import { useTableModel } from "@/components/tables/table-model";
import { ClockNow } from "@/components/time/instant";
import { Panel } from "@/components/ui/panel";
import { FailedState, LoadingPanel } from "@/components/ui/panel-states";
import type { FleetRow } from "@/lib/contracts/fleet";
import { formatCount, formatPlural } from "@/lib/format/number";
import { changesQuery, fleetQuery } from "@/lib/queries/fleet";
import { ChangesPanel } from "./changes-panel";
import { ClustersPanel } from "./clusters-panel";
import { fleetColumns } from "./fleet-columns";
import { fleetMarkdown } from "./fleet-markdown";
import {
  CLUSTER_STATES,
  FLEET_FILTERS,
  type FleetFilter,
  fleetRowKey,
  RISK_AREAS,
} from "./prepare-fleet-rows";
import { RiskStrip } from "./risk-strip";

const URL_STATE = {
  q: parseAsString.withDefault(""),
  state: parseAsStringLiteral(CLUSTER_STATES),
  role: parseAsString.withDefault(""),
  version: parseAsString.withDefault(""),
  risk: parseAsStringLiteral(RISK_AREAS),
  sort: parseAsString.withDefault(""),
};

const NO_ROWS: readonly FleetRow[] = [];

/** What got worse since the last look, and which cluster first? */
export function FleetPage() {
  const fleet = useQuery(fleetQuery());
  const changes = useQuery(changesQuery());
  const [url, setUrl] = useQueryStates(URL_STATE, { history: "push", scroll: false });
  const { q, state, role, version, risk, sort: sortText } = url;
  const filter = useMemo(() => ({ text: q, state, role, version, risk }), [q, state, role, version, risk]);
  const response = fleet.data;
  const now = response?.frame.now ?? 0;
  const columns = useMemo(() => fleetColumns(now), [now]);
  const sort = useMemo(() => parseSort(sortText, columns), [sortText, columns]);
  const model = useTableModel({
    columns,
    rows: response?.rows ?? NO_ROWS,
    rowKey: fleetRowKey,
    sort,
    onSort: (next) => void setUrl({ sort: writeSort(next) }),
    filters: FLEET_FILTERS,
    wanted: filter,
  });

  const onFilter = (change: Partial<FleetFilter>) => {
    const { text, ...rest } = change;
    // Typing replaces the entry of the history; a choice adds one, so that Back undoes it.
    void setUrl(
      { ...rest, ...(text === undefined ? {} : { q: text }) },
      { history: Object.keys(rest).length === 0 ? "replace" : "push" },
    );
  };
  if (response !== undefined && response.rows.length === 0 && !response.frame.isDemo) {
    return (
      <>
        <PageHead title="Fleet" facts={<span>no cluster yet</span>} />
        <FirstRunPanel frame={response.frame} ownCost={null} />
      </>
    );
  }
  return (
    <>
      <PageHead
        title="Fleet"
        facts={
          response !== undefined && (
            <>
              <span>
                {formatPlural(response.totals.clusters, "cluster")},{" "}
                <b>{formatCount(response.totals.nodes)}</b> nodes
              </span>
              <ClockNow />
            </>
          )
        }
        actions={
          <CopyMarkdown
            makeText={
              response === undefined
                ? null
                : () =>
                    fleetMarkdown({
                      response,
                      rows: model.getRowModel().rows.map(({ original }) => original),
                      changes: changes.data,
                      url: window.location.href,
                    })
            }
          />
        }
      />
      {response?.frame.isDemo === true && <DemoNotice clusters={response.frame.clusters} />}
      <RefreshNotice query={fleet} />
      {response !== undefined && <RiskStrip risks={response.risks} current={url.risk} />}
      {changes.data !== undefined ? (
        <ChangesPanel response={changes.data} />
      ) : changes.isError ? (
        <Panel title="Changed since your last review">
          <FailedState
            what="Changes"
            error={changes.error}
            unaffected="The clusters below are not affected."
            onRetry={() => void changes.refetch()}
          />
        </Panel>
      ) : (
        <LoadingPanel title="Changed since your last review" rows={5} />
      )}
      {response !== undefined ? (
        <ClustersPanel
          response={response}
          columns={columns}
          model={model}
          filter={filter}
          onFilter={onFilter}
          signature={JSON.stringify([filter, sortText])}
        />
      ) : fleet.isError ? (
        <Panel title="Clusters, worst first">
          <FailedState what="The fleet" error={fleet.error} onRetry={() => void fleet.refetch()} />
        </Panel>
      ) : (
        <LoadingPanel
          title="Clusters, worst first"
          heads={["Cluster", "Worst reason", "Fairness", "Nodes", "Version", "Seats now", "Data age"]}
          rows={8}
        />
      )}
    </>
  );
}

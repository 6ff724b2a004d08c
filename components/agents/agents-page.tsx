"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { PageHead } from "@/components/frame/page-head";
import { RefreshNotice } from "@/components/frame/refresh-notice";
import { csvColumnsOf, type RowFilter } from "@/components/tables/column";
import { ModelTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { parseSort, writeSort } from "@/components/tables/sort-text";
import { useTableModel } from "@/components/tables/table-model";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { EmptyState, FailedState, LoadingPanel } from "@/components/ui/panel-states";
import { SeverityMark } from "@/components/ui/severity";
import type { FleetAgentRow } from "@/lib/contracts/agent-pages";
import { VERDICTS } from "@/lib/domain/storm/verdict";
import { formatCount, formatPlural } from "@/lib/format/number";
import { agentsQuery } from "@/lib/queries/agents";
import { FLEET_AGENT_COLUMNS } from "./agent-columns";
import { agentHref } from "./agent-href";
import { agentsMarkdown } from "./agents-markdown";
import { VERDICT_RULE } from "./clusters-panel";

const URL_STATE = {
  q: parseAsString.withDefault(""),
  verdict: parseAsStringLiteral(VERDICTS),
  sort: parseAsString.withDefault(""),
};
const NO_AGENTS: readonly FleetAgentRow[] = [];
export const AGENTS_LIST_TITLE = "Agents, worst verdict first";

const FILTERS: readonly RowFilter<FleetAgentRow>[] = [
  { id: "text", fits: ({ title }, wanted) => title.toLowerCase().includes(wanted.trim().toLowerCase()) },
  { id: "verdict", fits: ({ worst }, wanted) => worst.verdict === wanted },
];

/** Which agent is the worst of the fleet, and where? */
export function AgentsPage() {
  const query = useQuery(agentsQuery());
  const [url, setUrl] = useQueryStates(URL_STATE, { history: "push", scroll: false });
  const { q, verdict } = url;
  const sort = useMemo(() => parseSort(url.sort, FLEET_AGENT_COLUMNS), [url.sort]);
  const wanted = useMemo(() => ({ text: q, verdict }), [q, verdict]);
  const response = query.data;
  const model = useTableModel({
    columns: FLEET_AGENT_COLUMNS,
    rows: response?.agents ?? NO_AGENTS,
    rowKey: ({ agentId }) => agentId,
    sort,
    onSort: (next) => void setUrl({ sort: writeSort(next) }),
    filters: FILTERS,
    wanted,
  });
  const rows = model.getRowModel().rows.map(({ original }) => original);
  return (
    <>
      <PageHead
        title="Agents"
        facts={
          response !== undefined && (
            <span>
              {formatPlural(response.agents.length, "agent")} on{" "}
              {formatPlural(response.clustersSimulated, "cluster")}
            </span>
          )
        }
        actions={
          <CopyMarkdown
            makeText={
              response === undefined
                ? null
                : () => agentsMarkdown({ response, rows, url: window.location.href })
            }
          />
        }
      />
      <RefreshNotice query={query} />
      {response === undefined ? (
        query.isError ? (
          <Panel title={AGENTS_LIST_TITLE}>
            <FailedState
              what="Agents"
              error={query.error}
              unaffected="Other pages are not affected."
              onRetry={() => void query.refetch()}
            />
          </Panel>
        ) : (
          <LoadingPanel
            title={AGENTS_LIST_TITLE}
            heads={FLEET_AGENT_COLUMNS.map(({ label }) => label)}
            rows={8}
          />
        )
      ) : (
        <Panel
          title={AGENTS_LIST_TITLE}
          state={response.clustersSimulated < response.clusters ? "partial" : "normal"}
          meta={
            <>
              {response.clustersSimulated < response.clusters && (
                <SeverityMark
                  kind="unknown"
                  word={`${formatCount(response.clustersSimulated)} of ${formatCount(response.clusters)} clusters simulated`}
                />
              )}
              <input
                type="search"
                aria-label="Filter agents by name"
                placeholder="Filter"
                value={q}
                onChange={(event) => void setUrl({ q: event.currentTarget.value }, { history: "replace" })}
                className="h-[26px] w-40 rounded-2 border border-control bg-raised px-2"
              />
              <select
                aria-label="Worst verdict"
                value={verdict ?? ""}
                onChange={(event) =>
                  void setUrl({
                    verdict: VERDICTS.find((each) => each === event.currentTarget.value) ?? null,
                  })
                }
                className="h-[26px] rounded-2 border border-control bg-raised px-1.5"
              >
                <option value="">every verdict</option>
                {VERDICTS.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </select>
              <DownloadCsv
                fileName="headroom-agents"
                columns={csvColumnsOf(FLEET_AGENT_COLUMNS)}
                rows={rows}
              />
            </>
          }
          foot={`If every copy started at once. ${VERDICT_RULE}`}
        >
          {response.agents.length === 0 ? (
            <EmptyState lead="No agent was simulated yet">
              The collector lists the workloads of a cluster with its first pass and simulates them some time
              after. A cluster whose workloads may not be read has none here.
            </EmptyState>
          ) : rows.length === 0 ? (
            <EmptyState
              lead="No agent fits the filter"
              action={
                <Button isSmall onClick={() => void setUrl({ q: null, verdict: null })}>
                  Show all {formatCount(response.agents.length)}
                </Button>
              }
            />
          ) : (
            <ModelTable
              caption={AGENTS_LIST_TITLE}
              model={model}
              rowHref={({ agentId }) => agentHref(agentId)}
            />
          )}
        </Panel>
      )}
    </>
  );
}

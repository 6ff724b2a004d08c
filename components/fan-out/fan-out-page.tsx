"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { agentHref } from "@/components/agents/agent-href";
import { ClusterFrame } from "@/components/clusters/cluster-frame";
import { ClusterPageState } from "@/components/clusters/cluster-page-state";
import { panelStateOf } from "@/components/clusters/panel-age";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { RefreshNotice } from "@/components/frame/refresh-notice";
import { parseSort, writeSort } from "@/components/tables/sort-text";
import { useTableModel } from "@/components/tables/table-model";
import { Button, buttonClass } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { FanOutAgent } from "@/lib/contracts/fan-out";
import { fanOutQuery } from "@/lib/queries/clusters";
import { agentColumns } from "./agent-columns";
import { AGENTS_TITLE, AgentsPanel, agentKey } from "./agents-panel";
import { CapacityPanel } from "./capacity-panel";
import { DrainPanel } from "./drain-panel";
import { EvidencePanel } from "./evidence-panel";
import { fanOutMarkdown } from "./fan-out-markdown";
import { ListsPanel } from "./lists-panel";

const URL_STATE = { agent: parseAsString.withDefault(""), sort: parseAsString.withDefault("") };
const NO_AGENTS: readonly FanOutAgent[] = [];

/** What would each agent cost if all its copies LISTed at once, and how far is that from what the control plane can give? */
export function FanOutPage({ clusterId }: { clusterId: string }) {
  const query = useQuery(fanOutQuery(clusterId));
  const [url, setUrl] = useQueryStates(URL_STATE, { history: "push", scroll: false });
  const response = query.data;
  const columns = useMemo(() => agentColumns(clusterId), [clusterId]);
  const sort = useMemo(() => parseSort(url.sort, columns), [url.sort, columns]);
  const agents = response?.agents ?? NO_AGENTS;
  const model = useTableModel({
    columns,
    rows: agents,
    rowKey: agentKey,
    sort,
    onSort: (next) => void setUrl({ sort: writeSort(next) }),
  });
  if (response === undefined) return <ClusterPageState query={query} panel={AGENTS_TITLE} />;
  // The worst one where none is chosen, or the chosen one has gone.
  const selected = agents.find(({ agent }) => agent.id === url.agent) ?? agents[0] ?? null;
  const choose = (agentId: string) => void setUrl({ agent: agentId === agents[0]?.agent.id ? "" : agentId });
  const { notice, inventory, sizes, header } = response;
  const state = panelStateOf(inventory) === "stale" || panelStateOf(sizes) === "stale" ? "stale" : "normal";
  const noticed = notice?.agentId ?? null;
  return (
    <ClusterFrame
      header={header}
      area="fan-out"
      actions={
        <CopyMarkdown
          makeText={() =>
            fanOutMarkdown({
              response,
              columns,
              rows: model.getRowModel().rows.map(({ original }) => original),
              url: window.location.href,
            })
          }
        />
      }
    >
      <RefreshNotice query={query} />
      {notice !== null && (
        <Notice
          severity={notice.severity}
          lead={notice.lead}
          {...(noticed === null
            ? {}
            : {
                actions: (
                  <>
                    {selected?.agent.id !== noticed && (
                      <Button isSmall onClick={() => choose(noticed)}>
                        Show what it rests on
                      </Button>
                    )}
                    <Link href={agentHref(noticed, clusterId)} className={buttonClass({ isSmall: true })}>
                      What if
                    </Link>
                  </>
                ),
              })}
        >
          <p>{notice.text}</p>
        </Notice>
      )}
      <AgentsPanel
        response={response}
        columns={columns}
        model={model}
        selectedId={selected?.agent.id ?? null}
        onSelect={choose}
      />
      <div className="grid gap-[var(--gap)] lg:grid-cols-12">
        <div className="grid min-w-0 content-start gap-[var(--gap)] lg:col-span-8">
          <CapacityPanel response={response} />
          <ListsPanel response={response} />
        </div>
        <DrainPanel response={response} agent={selected} state={state} className="lg:col-span-4" />
      </div>
      {selected !== null && <EvidencePanel agent={selected} clusterName={header.name} state={state} />}
    </ClusterFrame>
  );
}

"use client";

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { ClusterFrame } from "@/components/clusters/cluster-frame";
import { ClusterPageState } from "@/components/clusters/cluster-page-state";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { RefreshNotice } from "@/components/frame/refresh-notice";
import { Notice } from "@/components/ui/notice";
import { Panel, type PanelState } from "@/components/ui/panel";
import { FailedState, LoadingPanel } from "@/components/ui/panel-states";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import type { RequestShape } from "@/lib/domain/fairness/matching/collapse-flows";
import { fairnessQuery, flowControlQuery } from "@/lib/queries/clusters";
import { fairnessMarkdown } from "./fairness-markdown";
import { FlowSchemasPanel } from "./flow-schemas-panel";
import { FlowsPanel } from "./flows-panel";
import { LevelsPanel } from "./levels-panel";
import { BorrowingPanel, borrowingMarkdown } from "./objects/borrowing-panel";
import { CollapsePanel, collapseMarkdown } from "./objects/collapse-panel";
import { DriftPanel, driftMarkdown } from "./objects/drift-panel";
import { chooseShown } from "./prepare-levels";
import { requestMarkdown } from "./request/request-markdown";
import { REQUEST_TITLE, RequestPanel, type RequestTool, useRequestTool } from "./request/request-panel";
import { ServersPanel } from "./servers-panel";

const URL_STATE = { server: parseAsString.withDefault(""), level: parseAsString.withDefault("") };

/** Who may use how much now, and who is refused? */
export function FairnessPage({ clusterId }: { clusterId: string }) {
  const query = useQuery(fairnessQuery(clusterId));
  const [url, setUrl] = useQueryStates(URL_STATE, { history: "push", scroll: false });
  const objects = useQuery(flowControlQuery(clusterId));
  const response = query.data;
  const tool = useRequestTool(
    objects.data,
    response === undefined ? null : (chooseShown(response, url).server?.server.id ?? null),
  );
  const shape = useMemo(() => shapeOf(tool), [tool]);
  if (response === undefined) return <ClusterPageState query={query} panel="Priority levels" />;
  const shown = chooseShown(response, url);
  const { server, level } = shown;
  // The objects come with the same part as the levels.
  const objectState = response.part?.isStale === true ? "stale" : "normal";
  const makeBlocks = () => [
    ...(tool.state === null ? [] : requestMarkdown(tool.state)),
    ...(objects.data === undefined
      ? []
      : [...driftMarkdown(objects.data), ...collapseMarkdown(objects.data, shape)]),
    ...borrowingMarkdown(server),
  ];
  return (
    <ClusterFrame
      header={response.header}
      area="fairness"
      actions={
        <CopyMarkdown
          makeText={() =>
            fairnessMarkdown({ response, shown, blocks: makeBlocks(), url: window.location.href })
          }
        />
      }
    >
      <RefreshNotice query={query} />
      {response.notice !== null && (
        <Notice severity={response.notice.severity} lead={response.notice.lead}>
          <p>{response.notice.text}</p>
        </Notice>
      )}
      <LevelsPanel
        response={response}
        server={server}
        level={level}
        onServer={(name) => void setUrl({ server: name })}
        onLevel={(name) => void setUrl({ level: name })}
      />
      {server !== null && level !== null && (
        <div className="grid gap-[var(--gap)] lg:grid-cols-12">
          <FlowsPanel
            server={server}
            level={level}
            part={response.part}
            fileName={`headroom-${response.header.name}-${server.server.name}-${level.priorityLevelName}-flows`}
            className="lg:col-span-7"
          />
          <ServersPanel response={response} levelName={level.priorityLevelName} className="lg:col-span-5" />
        </div>
      )}
      <div className="grid items-start gap-[var(--gap)] lg:grid-cols-12">
        <div className="min-w-0 lg:col-span-7">
          <ToolOrState query={objects} tool={tool} state={objectState} />
        </div>
        <div className="grid min-w-0 gap-[var(--gap)] lg:col-span-5">
          {objects.data !== undefined && <DriftPanel response={objects.data} state={objectState} />}
          {server !== null && level !== null && (
            <BorrowingPanel
              clusterId={clusterId}
              clusterName={response.header.name}
              part={response.part}
              server={server}
              level={level}
            />
          )}
        </div>
      </div>
      {objects.data !== undefined && (
        <CollapsePanel response={objects.data} shape={shape} state={objectState} />
      )}
      <FlowSchemasPanel response={response} levelName={level?.priorityLevelName ?? null} />
    </ClusterFrame>
  );
}

/** The tool, or why it is not there: it rests on the cluster's flow control objects, the levels do not. */
function ToolOrState(props: {
  query: UseQueryResult<FlowControlResponse>;
  tool: RequestTool;
  state: PanelState;
}) {
  const { query, tool, state } = props;
  if (query.data !== undefined) return <RequestPanel response={query.data} tool={tool} state={state} />;
  if (!query.isError) return <LoadingPanel title={REQUEST_TITLE} rows={4} />;
  return (
    <Panel title={REQUEST_TITLE}>
      <FailedState
        what="FlowSchemas and priority levels"
        error={query.error}
        unaffected="The levels above do not need them."
        onRetry={() => void query.refetch()}
      />
    </Panel>
  );
}

/** The request that the tool holds, to be sent by every account; `null` while it holds none. */
function shapeOf({ state }: RequestTool): RequestShape | null {
  return state?.state === "answered" ? state.request : null;
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import { ClusterFrame } from "@/components/clusters/cluster-frame";
import { ClusterPageState } from "@/components/clusters/cluster-page-state";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { RefreshNotice } from "@/components/frame/refresh-notice";
import { Notice } from "@/components/ui/notice";
import { fairnessQuery } from "@/lib/queries/clusters";
import { fairnessMarkdown } from "./fairness-markdown";
import { FlowSchemasPanel } from "./flow-schemas-panel";
import { FlowsPanel } from "./flows-panel";
import { LevelsPanel } from "./levels-panel";
import { chooseShown } from "./prepare-levels";
import { ServersPanel } from "./servers-panel";

const URL_STATE = { server: parseAsString.withDefault(""), level: parseAsString.withDefault("") };

/** Who may use how much now, and who is refused? */
export function FairnessPage({ clusterId }: { clusterId: string }) {
  const query = useQuery(fairnessQuery(clusterId));
  const [url, setUrl] = useQueryStates(URL_STATE, { history: "push", scroll: false });
  const response = query.data;
  if (response === undefined) return <ClusterPageState query={query} panel="Priority levels" />;
  const shown = chooseShown(response, url);
  const { server, level } = shown;
  return (
    <ClusterFrame
      header={response.header}
      area="fairness"
      actions={
        <CopyMarkdown makeText={() => fairnessMarkdown({ response, shown, url: window.location.href })} />
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
            fileName={`headroom-${response.header.name}-${server.server.name}-${level.priorityLevelName}-flows`}
            className="lg:col-span-7"
          />
          <ServersPanel response={response} levelName={level.priorityLevelName} className="lg:col-span-5" />
        </div>
      )}
      <FlowSchemasPanel response={response} levelName={level?.priorityLevelName ?? null} />
    </ClusterFrame>
  );
}

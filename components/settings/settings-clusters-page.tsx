"use client";

import { useQuery } from "@tanstack/react-query";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { RefreshNotice } from "@/components/frame/refresh-notice";
import { Panel } from "@/components/ui/panel";
import { FailedState, LoadingPanel } from "@/components/ui/panel-states";
import { formatPlural } from "@/lib/format/number";
import { settingsClustersQuery } from "@/lib/queries/settings";
import { AddClusterPanel } from "./add-cluster-panel";
import { LimitsPanel, RolePanel } from "./role-panel";
import { SettingsFrame } from "./settings-frame";
import { settingsMarkdown } from "./settings-markdown";
import { TargetsPanel } from "./targets-panel";

/** Which clusters are read, who named them, what may be read, and how to add one. */
export function SettingsClustersPage() {
  const query = useQuery(settingsClustersQuery());
  const response = query.data;
  return (
    <SettingsFrame
      area="clusters"
      facts={response !== undefined && <span>{formatPlural(response.targets.length, "connection")}</span>}
      actions={
        <CopyMarkdown
          makeText={
            response === undefined ? null : () => settingsMarkdown({ response, url: window.location.href })
          }
        />
      }
    >
      <RefreshNotice query={query} />
      {response !== undefined ? (
        <TargetsPanel response={response} />
      ) : query.isError ? (
        <Panel title="Clusters">
          <FailedState what="The clusters" error={query.error} onRetry={() => void query.refetch()} />
        </Panel>
      ) : (
        <LoadingPanel
          title="Clusters"
          heads={["Cluster", "Named by", "Kubeconfig and context", "Permissions"]}
        />
      )}
      <AddClusterPanel />
      {response !== undefined && (
        <div className="grid items-start gap-[var(--gap)] lg:grid-cols-12">
          <RolePanel yaml={response.clusterRoleYaml} className="lg:col-span-8" />
          <LimitsPanel response={response} className="lg:col-span-4" />
        </div>
      )}
    </SettingsFrame>
  );
}

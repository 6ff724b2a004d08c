"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { RefreshNotice } from "@/components/frame/refresh-notice";
import { buttonClass } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { OverviewResponse } from "@/lib/contracts/cluster";
import { overviewQuery } from "@/lib/queries/clusters";
import { BusiestChart } from "./busiest-chart";
import { ClusterFrame } from "./cluster-frame";
import { ClusterPageState } from "./cluster-page-state";
import { CollectorPanel } from "./collector-panel";
import { FindingsPanel } from "./findings-panel";
import { overviewMarkdown } from "./overview-markdown";
import { RecentChanges, RiskPanels } from "./overview-panels";
import { SizesPanel } from "./sizes-panel";

/** What is wrong in this cluster, and what is that resting on? */
export function OverviewPage({ clusterId }: { clusterId: string }) {
  const query = useQuery(overviewQuery(clusterId));
  const response = query.data;
  if (response === undefined) return <ClusterPageState query={query} panel="Overview" />;
  return (
    <ClusterFrame
      header={response.header}
      area="overview"
      actions={<CopyMarkdown makeText={() => overviewMarkdown({ response, url: window.location.href })} />}
    >
      <RefreshNotice query={query} />
      <OverviewNotice notice={response.notice} />
      <RiskPanels response={response} />
      <FindingsPanel findings={response.findings} />
      <div className="grid gap-[var(--gap)] lg:grid-cols-12">
        <BusiestChart response={response} className="lg:col-span-8" />
        <CollectorPanel parts={response.parts} className="lg:col-span-4" />
        <RecentChanges response={response} className="lg:col-span-6" />
        <SizesPanel
          resources={response.resources}
          total={response.resourcesTotal}
          part={response.parts.find(({ part }) => part === "sizes")}
          fileName={`headroom-${response.header.name}-sizes`}
          className="lg:col-span-6"
        />
      </div>
    </ClusterFrame>
  );
}

function OverviewNotice({ notice }: { notice: OverviewResponse["notice"] }) {
  if (notice === null) return null;
  return (
    <Notice
      severity={notice.severity}
      lead={notice.lead}
      {...(notice.actions.length === 0
        ? {}
        : {
            actions: notice.actions.map(({ label, href }) => (
              <Link key={href} href={href} className={buttonClass()}>
                {label}
              </Link>
            )),
          })}
    >
      <p>{notice.text}</p>
    </Notice>
  );
}

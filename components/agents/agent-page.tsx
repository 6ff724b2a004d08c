"use client";

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { PageHead } from "@/components/frame/page-head";
import { Age } from "@/components/time/instant";
import { Button, buttonClass } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Panel } from "@/components/ui/panel";
import { EmptyState, FailedState, LoadingPanel } from "@/components/ui/panel-states";
import type { AgentResponse, AgentSubject } from "@/lib/contracts/agent-pages";
import { VERDICT_THRESHOLDS } from "@/lib/domain/storm/verdict";
import { defaultReplicas } from "@/lib/domain/what-if/what-if-input";
import { formatCount, UNIT_SPACE } from "@/lib/format/number";
import { agentQuery } from "@/lib/queries/agents";
import { ProblemError } from "@/lib/queries/fetch-json";
import { AgentHead } from "./agent-head";
import { agentMarkdown } from "./agent-markdown";
import { AGENT_URL, clampJitter, clampReplicas } from "./agent-url";
import { ChoicesPanel } from "./choices-panel";
import { ClustersPanel } from "./clusters-panel";
import { ControlsPanel } from "./controls-panel";
import { ForecastPanel } from "./forecast-panel";
import { NeighboursPanel } from "./neighbours-panel";
import { dailyNodes } from "./prepare-forecast";
import { RemediesPanel } from "./remedies-panel";
import { StormPanel } from "./storm-panel";
import { type AgentStorm, useAgentStorm } from "./use-agent-storm";
import { useForecast } from "./use-forecast";

const STORM_TITLE = "Storm";

/** May this agent go to every cluster, and what would make it safe? */
export function AgentPage({ agentId }: { agentId: string }) {
  const [url, setUrl] = useQueryStates(AGENT_URL, { history: "push", scroll: false });
  const query = useQuery(agentQuery(agentId, url.cluster));
  const response = query.data;
  // What a slider shows while it is dragged; the address changes when it is let go.
  const [draft, setDraft] = useState<{ readonly replicas?: number; readonly jitter?: number }>({});
  const subject = response?.subject ?? null;
  const usual = subject === null ? 1 : defaultReplicas(subject);
  const replicas = clampReplicas(draft.replicas ?? url.replicas ?? usual);
  const jitterSeconds = clampJitter(draft.jitter ?? url.jitter);
  const isMoving = draft.replicas !== undefined || draft.jitter !== undefined;
  const storm = useAgentStorm(
    subject,
    {
      scenario: url.scenario,
      replicas: clampReplicas(url.replicas ?? usual),
      jitterSeconds: clampJitter(url.jitter),
      seed: url.seed,
      remedies: url.remedies,
    },
    isMoving ? { replicas, jitterSeconds } : null,
    response?.frame.now ?? 0,
  );
  const points = useMemo(() => dailyNodes(subject?.nodeHistory ?? null), [subject]);
  // The storm that is shown comes first: a search takes a core for a while.
  const canSearch = storm.asItIs != null;
  const found = useForecast(
    canSearch ? (storm.asItIsStorm?.key ?? null) : null,
    storm.asItIsStorm?.input ?? null,
    points,
  );
  if (response === undefined) return <AgentPageState query={query} />;
  const isChanged =
    url.replicas !== null || url.jitter !== 0 || url.scenario !== "start-all" || url.remedies.length > 0;
  const toggle = (id: string) =>
    settle({
      remedies: url.remedies.includes(id)
        ? url.remedies.filter((each) => each !== id)
        : [...url.remedies, id],
    });
  const settle = (change: Parameters<typeof setUrl>[0]) => {
    setDraft({});
    void setUrl(change);
  };
  const state = subject?.isStale === true ? "stale" : "normal";
  return (
    <>
      <AgentHead
        response={response}
        actions={
          <CopyMarkdown
            makeText={() =>
              agentMarkdown({
                response,
                storm,
                choice: {
                  scenario: url.scenario,
                  replicas,
                  jitterSeconds,
                  seed: url.seed,
                  remedies: url.remedies,
                },
                url: window.location.href,
              })
            }
          />
        }
      />
      <PageNotice storm={storm} subject={subject} />
      <div className="grid items-start gap-[var(--gap)] lg:grid-cols-[356px_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-3 lg:sticky lg:top-[calc(var(--bar-h)+12px)] lg:max-h-[calc(100vh-var(--bar-h)-24px)] lg:overflow-y-auto">
          <ControlsPanel
            clusters={response.clusters}
            clusterId={subject?.clusterId ?? response.clusterId}
            // Another cluster has other copies.
            onCluster={(cluster) => settle({ cluster, replicas: null })}
            replicas={replicas}
            replicasMax={sliderMax(usual, replicas)}
            replicasNote={replicasNote(usual, found.largest?.largest)}
            onReplicas={(value, isDone) =>
              isDone
                ? settle({ replicas: value === usual ? null : value })
                : setDraft({ ...draft, replicas: value })
            }
            jitterSeconds={jitterSeconds}
            onJitter={(value, isDone) =>
              isDone ? settle({ jitter: value }) : setDraft({ ...draft, jitter: value })
            }
            onReset={
              isChanged
                ? () => settle({ replicas: null, jitter: null, scenario: null, remedies: null, seed: null })
                : null
            }
          />
          {storm.prepared !== null && (
            <ChoicesPanel
              title="Scenario"
              meta="verdict as it is"
              choices={storm.prepared.offered.map((each) => ({ ...each, side: storm.sideOf(each) }))}
              chosen={[storm.prepared.chosen.name]}
              onChoose={(scenario) => settle({ scenario })}
            />
          )}
          {storm.remedies.length > 0 && (
            <ChoicesPanel
              title="Remedies"
              meta="each by itself, in this scenario"
              isMultiple
              choices={storm.remedies.map(({ remedy, side }) => ({
                name: remedy.id,
                title: remedy.title,
                note: remedy.costs,
                side,
                ...(remedy.answer.isApplicable ? {} : { barred: remedy.answer.reason }),
              }))}
              chosen={url.remedies}
              onChoose={toggle}
              foot={storm.skipped.length === 0 ? null : storm.skipped.join(" ")}
            />
          )}
        </div>
        <div className="grid min-w-0 gap-[var(--gap)]">
          {subject === null ? (
            <NoSubject response={response} />
          ) : (
            <>
              <StormPanel
                view={storm.view}
                lens={url.lens}
                onLens={(lens) => void setUrl({ lens })}
                state={state}
              />
              <FiguresLine subject={subject} readAt={response.frame.now} query={query} seed={url.seed} />
              <div className="grid items-stretch gap-[var(--gap)] lg:grid-cols-12">
                <div className="grid min-w-0 lg:col-span-7">
                  <NeighboursPanel storm={storm.view.storm} state={state} />
                </div>
                <div className="grid min-w-0 lg:col-span-5">
                  <ForecastPanel
                    subject={subject}
                    points={points}
                    found={found}
                    now={response.frame.now}
                    state={state}
                  />
                </div>
              </div>
            </>
          )}
        </div>
      </div>
      {subject !== null && storm.compared.length > 0 && (
        <RemediesPanel
          rows={storm.compared}
          copies={clampReplicas(url.replicas ?? usual)}
          clusterName={subject.clusterName}
          state={state}
        />
      )}
      <ClustersPanel
        response={response}
        sort={url.sort}
        onSort={(sort) => void setUrl({ sort })}
        onCluster={(cluster) => settle({ cluster, replicas: null })}
      />
    </>
  );
}

/** Half as many again as there are, and a little room for few; always as far as what was asked for. */
const sliderMax = (usual: number, replicas: number): number =>
  Math.min(100_000, Math.max(100, roundUpTo(usual * 1.5), replicas > usual * 1.5 ? roundUpTo(replicas) : 0));

/** `2 000 now, invisible up to ≈ 598`. */
function replicasNote(usual: number, largest: number | null | undefined): string {
  const now = `${formatCount(usual)} now`;
  if (largest === undefined) return now;
  if (largest === null) return `${now}, one is seen`;
  return largest >= usual ? now : `${now}, unseen up to ≈${UNIT_SPACE}${formatCount(largest)}`;
}

/** The next number of two digits and zeros. */
function roundUpTo(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.ceil(value / unit) * unit;
}

/** The worst thing, or that there is nothing to fear; before anything was simulated nothing. */
function PageNotice({ storm, subject }: { storm: AgentStorm; subject: AgentSubject | null }) {
  const { asItIs } = storm;
  if (subject === null) return null;
  if (subject.doubts.length > 0) {
    return (
      <Notice severity="unknown" lead={`Figures of ${subject.clusterName} carry no verdict.`}>
        <p>{subject.doubts.join(" ")}</p>
      </Notice>
    );
  }
  if (asItIs == null || asItIs.verdict.verdict !== "invisible") return null;
  const { invisibleNeighbourWaitSeconds, invisibleOwnWaitSeconds, invisibleLinkRatio } = VERDICT_THRESHOLDS;
  return (
    <Notice severity="ok" lead={`${subject.clusterName}: roll normally.`}>
      <p>
        If all copies LIST at once, nobody is rejected, neighbours wait at most{" "}
        {invisibleNeighbourWaitSeconds} s at p99, its own requests at most {invisibleOwnWaitSeconds} s, and
        links stay below {100 * invisibleLinkRatio} %.
      </p>
    </Notice>
  );
}

/** What the storm rests on, how old that is, and what was assumed. */
function FiguresLine(props: {
  subject: AgentSubject;
  readAt: number;
  seed: number;
  query: UseQueryResult<AgentResponse, Error>;
}) {
  const { subject, readAt, seed, query } = props;
  const { observedAt, clusterName, unknown } = subject;
  return (
    <p className="-mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 px-1 text-s text-fg-3">
      <span>
        Simulated in this browser, seed {seed}, on figures of {clusterName}
        {observedAt !== null && (
          <>
            , the oldest measured <Age at={observedAt} /> ago
          </>
        )}
        ; they stand still since <Age at={readAt} /> ago.
      </span>
      {unknown.length > 0 && <span className="text-unknown">Not known: {unknown.join("; ")}.</span>}
      {query.isError && <span className="text-error">They could not be read anew.</span>}
      <Button isSmall onClick={() => void query.refetch()} disabled={query.isFetching}>
        Read figures anew
      </Button>
    </p>
  );
}

function NoSubject({ response }: { response: AgentResponse }) {
  const isListed = response.clusters.some(({ clusterId }) => clusterId === response.clusterId);
  return (
    <Panel title={STORM_TITLE}>
      <EmptyState
        kind="unknown"
        lead={isListed ? "Its workload is not there any more" : "It is not known to run on this cluster"}
      >
        Nothing can be simulated here. Another cluster can be chosen at the left or in the table below.
      </EmptyState>
    </Panel>
  );
}

/** The page before its first answer: loading, an agent that nobody knows, or a store that cannot be read. */
function AgentPageState({ query }: { query: UseQueryResult<unknown, Error> }) {
  const crumb = <Link href="/agents">Agents</Link>;
  if (!query.isError) {
    return (
      <>
        <PageHead title="Agent" crumb={crumb} />
        <LoadingPanel title={STORM_TITLE} rows={6} />
      </>
    );
  }
  const isGone = query.error instanceof ProblemError && query.error.code === "not-found";
  return (
    <>
      <PageHead title="Agent" crumb={crumb} />
      <Panel title={STORM_TITLE}>
        {isGone ? (
          <EmptyState
            lead="No cluster is known to run an agent by this address"
            action={
              <Link href="/agents" className={buttonClass({ isSmall: true })}>
                Open the agents
              </Link>
            }
          >
            It was removed, or no cluster that has it was simulated yet.
          </EmptyState>
        ) : (
          <FailedState
            what="This agent"
            error={query.error}
            unaffected="Other pages are not affected."
            onRetry={() => void query.refetch()}
          />
        )}
      </Panel>
    </>
  );
}

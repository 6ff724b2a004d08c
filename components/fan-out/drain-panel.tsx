"use client";

import dynamic from "next/dynamic";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { DownloadCsv } from "@/components/tables/download-csv";
import { ScrollRegion } from "@/components/tables/scroll-region";
import { Panel, PanelBody, type PanelState } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import type { FanOutAgent, FanOutResponse } from "@/lib/contracts/fan-out";
import { formatDuration } from "@/lib/format/duration";
import { formatCount } from "@/lib/format/number";
import { type DrainChart, type DrawnPoint, describeCrossing, prepareDrainChart } from "./prepare-drain-chart";
import { CURVE_SEEDS, type CurveState, useDrainCurve } from "./use-drain-curve";

export const DRAIN_TITLE = "Drain time against node count";
const HEIGHT = 420;

/** The drawing library comes with the first chart, not with the page. */
const DrainDrawing = dynamic(() => import("./drain-drawing"), { ssr: false });

/** How long a start of all copies takes to drain, by the number of nodes: simulated here, in a worker. */
export function DrainPanel(props: {
  response: FanOutResponse;
  agent: FanOutAgent | null;
  state: PanelState;
  className?: string;
}) {
  const { response, agent, state, className } = props;
  const { facts, frame } = response;
  const curve = useDrainCurve(facts, agent?.agent ?? null, frame.now);
  return (
    <Panel
      title={DRAIN_TITLE}
      state={state}
      className={className}
      meta={<Progress curve={curve} />}
      foot={
        agent !== null && curve.kind === "curve" ? (
          <>
            Collections and copies grow with the nodes, API servers and their steady load do not. p5 to p95 of{" "}
            {CURVE_SEEDS.length} seeds. Circles: clusters with {agent.agent.version ?? "this agent"}.
          </>
        ) : null
      }
    >
      <Body response={response} agent={agent} curve={curve} />
    </Panel>
  );
}

function Progress({ curve }: { curve: CurveState }) {
  if (curve.kind !== "curve") return null;
  if (curve.done >= curve.wanted)
    return <span>{formatCount(curve.done)} storms simulated in this browser</span>;
  return (
    <span>
      incomplete: {formatCount(curve.done)} of {formatCount(curve.wanted)} storms
    </span>
  );
}

function Body({
  response,
  agent,
  curve,
}: {
  response: FanOutResponse;
  agent: FanOutAgent | null;
  curve: CurveState;
}) {
  const points = curve.kind === "curve" ? curve.points : NO_POINTS;
  const { elsewhere, header, facts, queueWaitLimitSeconds } = response;
  const chart = useMemo(
    () =>
      agent === null
        ? null
        : prepareDrainChart({
            title: agent.title,
            version: agent.agent.version,
            points,
            elsewhere: elsewhere.filter(({ agentId }) => agentId === agent.agent.id),
            clusterName: header.name,
            nodes: facts?.nodes ?? null,
            limitSeconds: queueWaitLimitSeconds,
          }),
    [agent, points, elsewhere, header.name, facts?.nodes, queueWaitLimitSeconds],
  );
  if (agent === null || chart === null) {
    return (
      <EmptyState lead="No agent to draw">The curve is that of the agent chosen in the table.</EmptyState>
    );
  }
  switch (curve.kind) {
    case "no-nodes":
      return (
        <EmptyState kind="unknown" lead="Not known: how many nodes there are">
          A curve against the number of nodes starts from the number there is.
        </EmptyState>
      );
    case "no-worker":
      return (
        <EmptyState kind="unknown" lead="This browser runs no workers">
          The curve is simulated in a worker of the page. The table is not affected.
        </EmptyState>
      );
    case "nothing":
      return (
        <EmptyState lead={`Nothing to simulate for ${agent.title}`}>
          {agent.agent.isKnown
            ? "It LISTs no collection, or its copies follow no number of nodes."
            : "It is not known what it reads."}
        </EmptyState>
      );
    case "failed":
      return (
        <EmptyState kind="unknown" lead="The curve could not be simulated">
          {curve.message}
        </EmptyState>
      );
    case "curve":
      return <Curve chart={chart} agent={agent} isComplete={curve.done >= curve.wanted} />;
  }
}

const NO_POINTS: readonly never[] = [];

function Curve({ chart, agent, isComplete }: { chart: DrainChart; agent: FanOutAgent; isComplete: boolean }) {
  const [index, setIndex] = useState<number | null>(null);
  const describedBy = useId();
  const last = chart.points.length - 1;
  const shown = index === null ? null : (chart.points[Math.min(index, last)] ?? null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (event.key === "Escape") setIndex(null);
    if (step === 0 || last < 0) return;
    event.preventDefault();
    setIndex((now) => Math.max(0, Math.min(last, (now ?? (step > 0 ? -1 : last + 1)) + step)));
  };
  return (
    <PanelBody>
      <figure className="min-w-0">
        <figcaption
          aria-live={index === null ? "off" : "polite"}
          className="flex min-h-6 flex-wrap items-center gap-x-3.5 gap-y-0.5 pb-1.5 text-s text-fg-2 tabular-nums"
        >
          <Keys name={agent.agent.version ?? agent.agent.name} />
          <span className="ml-auto text-fg-3">
            {shown === null ? "arrow keys read values" : pointText(shown)}
          </span>
        </figcaption>
        {/* biome-ignore lint/a11y/useSemanticElements: the group is the picture with its crosshair, not a set of fields */}
        <div
          role="group"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the values
          tabIndex={0}
          aria-label={`${DRAIN_TITLE}. Arrow keys read values.`}
          aria-describedby={describedBy}
          onKeyDown={onKeyDown}
          onBlur={() => setIndex(null)}
          style={{ height: HEIGHT }}
        >
          {chart.points.length > 0 && <DrainDrawing chart={chart} height={HEIGHT} index={index} />}
        </div>
        <p id={describedBy} className="sr-only">
          {chart.text}
        </p>
        {chart.points.length > 0 && (
          <p className="pt-1 text-s text-fg-2">
            {describeCrossing(chart.crossing, chart.limitSeconds)}
            {!isComplete && <span className="text-fg-3"> More is being simulated.</span>}
          </p>
        )}
        {chart.points.length > 0 && <CurveTable chart={chart} title={agent.title} />}
      </figure>
    </PanelBody>
  );
}

function Keys({ name }: { name: string }) {
  return (
    <>
      <span className="inline-flex items-center gap-1.5">
        <svg viewBox="0 0 20 8" aria-hidden="true" className="h-2 w-5 flex-none">
          <path d="M0 4H20" stroke="var(--s2)" strokeWidth="1.8" strokeDasharray="5 3" />
        </svg>
        {name}, simulated
      </span>
      <span className="inline-flex items-center gap-1.5">
        <svg viewBox="0 0 20 8" aria-hidden="true" className="h-2 w-5 flex-none">
          <rect width="20" height="8" fill="var(--s2)" opacity="var(--band)" />
        </svg>
        p5 to p95
      </span>
      <span className="inline-flex items-center gap-1.5">
        <svg viewBox="0 0 20 8" aria-hidden="true" className="h-2 w-5 flex-none">
          <path d="M0 4H20" stroke="var(--limit)" strokeWidth="1.2" />
        </svg>
        limit
      </span>
    </>
  );
}

function pointText({ nodes, seconds, band }: DrawnPoint): string {
  const at = `${formatCount(nodes)} nodes: `;
  if (seconds === null || band === null) return `${at}does not drain`;
  return `${at}${formatDuration(seconds)} (${formatDuration(band[0])} to ${formatDuration(band[1])})`;
}

function CurveTable({ chart, title }: { chart: DrainChart; title: string }) {
  return (
    <details className="no-print mt-1 text-s">
      <summary className="w-fit py-0.5 text-fg-3 hover:text-fg">Values as a table</summary>
      <div className="mt-1 rounded-1 border border-line">
        <p className="flex justify-end px-2.5 py-1.5">
          <DownloadCsv fileName="headroom-drain-time-by-nodes" columns={CSV} rows={chart.points} />
        </p>
        <ScrollRegion label={DRAIN_TITLE} className="max-h-72 overflow-y-auto">
          <table className="table compact">
            <caption className="sr-only">
              {DRAIN_TITLE}, {title}
            </caption>
            <thead>
              <tr>
                <th scope="col" className="n">
                  Nodes
                </th>
                <th scope="col" className="n">
                  Drains in, simulated
                </th>
                <th scope="col" className="n">
                  p5 to p95
                </th>
                <th scope="col" className="n">
                  Seeds
                </th>
              </tr>
            </thead>
            <tbody>
              {chart.points.map((point) => (
                <tr key={point.nodes}>
                  <td className="n">{formatCount(point.nodes)}</td>
                  <td className="n">
                    <span className="simulated">
                      {point.seconds === null ? "does not drain" : formatDuration(point.seconds)}
                    </span>
                  </td>
                  <td className="n">
                    {point.band === null
                      ? "–"
                      : `${formatDuration(point.band[0])} to ${formatDuration(point.band[1])}`}
                  </td>
                  <td className="n">{formatCount(point.seeds)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      </div>
    </details>
  );
}

const CSV = [
  { head: "nodes", value: (point: DrawnPoint) => point.nodes },
  { head: "drain_seconds_p50_simulated", value: (point: DrawnPoint) => point.seconds },
  { head: "drain_seconds_p5_simulated", value: (point: DrawnPoint) => point.band?.[0] ?? null },
  { head: "drain_seconds_p95_simulated", value: (point: DrawnPoint) => point.band?.[1] ?? null },
  { head: "seeds", value: (point: DrawnPoint) => point.seeds },
];

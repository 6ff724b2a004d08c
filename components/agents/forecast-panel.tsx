"use client";

import { usePreferences } from "@/components/preferences/preferences";
import { Panel, PanelBody, type PanelState } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import type { AgentSubject } from "@/lib/contracts/agent-pages";
import type { NodeCount } from "@/lib/domain/storm/solvers/forecast-nodes";
import { formatDate } from "@/lib/format/instant";
import { formatCount, formatSignificant, UNIT_SPACE } from "@/lib/format/number";
import { Sim } from "./cells";
import { type ForecastChart, prepareForecast } from "./prepare-forecast";
import type { Forecast } from "./use-forecast";

export const FORECAST_TITLE = "Forecast of its verdict";
const DAY_MS = 86_400_000;
const WIDTH = 400;
const HEIGHT = 190;
const LEFT = 44;
const BOTTOM = 20;

/** When growth as measured takes the cluster to another verdict, if every copy started at once. */
export function ForecastPanel(props: {
  subject: AgentSubject;
  points: readonly NodeCount[];
  found: Forecast;
  now: number;
  state: PanelState;
}) {
  const { subject, points, found, now, state } = props;
  const { timeZone } = usePreferences();
  const { forecast, failure } = found;
  const chart = prepareForecast(points, forecast);
  const isGenerated = subject.nodeHistory?.isGenerated === true;
  return (
    <Panel
      title={FORECAST_TITLE}
      state={state}
      meta={
        <>
          {subject.clusterName}, start-all
          {isGenerated && (
            <span className="rounded-1 border border-dashed border-control px-1 text-xs">
              generated history
            </span>
          )}
        </>
      }
      foot={
        forecast?.growth == null
          ? null
          : `Theil–Sen over one count a day, ${formatCount(forecast.growth.points)} days; the band is its 90 % interval and that of the nodes. Pods and copies grow with the nodes, API servers stay.`
      }
    >
      {points.length === 0 ? (
        <EmptyState lead="No history of its nodes is stored yet">
          A forecast rests on node counts as measured, at least five days of them.
        </EmptyState>
      ) : (
        <PanelBody>
          <p className="pb-1.5 leading-[1.4] text-fg-2" aria-live="polite">
            {failure === null
              ? describeForecast(found, points, now, timeZone)
              : `It could not be simulated: ${failure}`}
          </p>
          <p className="flex flex-wrap gap-x-3.5 pb-1 text-s text-fg-2">
            <KeyLine dash={undefined} colour="var(--s1)" label="nodes, measured" />
            {chart.projected.length > 0 && <KeyLine dash="1.5 3" colour="var(--s1)" label="projection" />}
            {chart.limit !== null && (
              <KeyLine dash={undefined} colour="var(--limit)" label="verdict changes" />
            )}
          </p>
          <Drawing chart={chart} timeZone={timeZone} />
        </PanelBody>
      )}
    </Panel>
  );
}

function describeForecast(
  { forecast }: Forecast,
  points: readonly NodeCount[],
  now: number,
  timeZone: string,
) {
  const nodes = points.at(-1)?.nodes ?? 0;
  if (forecast === null)
    return `${formatCount(nodes)} nodes. Simulating at how many more the verdict changes.`;
  const { growth, changes, verdict } = forecast;
  const [change] = changes;
  const perDay = (value: number) => `${value < 0 ? "" : "+ "}${formatSignificant(value, 2)}`;
  const grows =
    growth === null
      ? "They are observed too briefly for a slope."
      : `${perDay(growth.nodesPerDay)} per day (${perDay(growth.lowPerDay)} to ${perDay(growth.highPerDay)}) over ${formatCount(growth.days)} days.`;
  return (
    <>
      {formatCount(nodes)} nodes, {verdict}. {grows}{" "}
      {change === undefined ? (
        verdict === "unsafe" ? (
          "It cannot get worse."
        ) : (
          "No number of nodes that was looked at makes it worse."
        )
      ) : (
        <>
          From{" "}
          <Sim>
            ≈{UNIT_SPACE}
            {formatCount(change.nodes.p50)} nodes
          </Sim>{" "}
          it is {change.to}: {whenText(change.crossing, now, timeZone)}.
        </>
      )}
    </>
  );
}

type Crossing = NonNullable<Forecast["forecast"]>["changes"][number]["crossing"];

/** `23 Dec, 17 to 34 days`. */
function whenText(crossing: Crossing, now: number, timeZone: string): string {
  if (crossing === null) return "when is not known";
  if (crossing.isPassed) return "it has so many already";
  if (crossing.at === null) return "not within a year at this slope";
  const days = (at: number | null) =>
    at === null ? "over 365" : formatCount(Math.max(0, (at - now) / DAY_MS));
  return `${formatDate(crossing.at, now, timeZone)}, ${days(crossing.earliestAt)} to ${days(crossing.latestAt)} days`;
}

const KeyLine = ({ dash, colour, label }: { dash: string | undefined; colour: string; label: string }) => (
  <span className="inline-flex items-center gap-1.5">
    <svg viewBox="0 0 20 8" aria-hidden="true" className="h-2 w-5 flex-none">
      <path d="M0 4H20" stroke={colour} strokeWidth="1.8" strokeDasharray={dash} />
    </svg>
    {label}
  </span>
);

/** Drawn in units of its own and scaled: few points, no crosshair; the sentence above holds the figures. */
function Drawing({ chart, timeZone }: { chart: ForecastChart; timeZone: string }) {
  const { fromAt, toAt, yMax, measured, projected, limit } = chart;
  const x = (at: number) => LEFT + ((at - fromAt) / Math.max(1, toAt - fromAt)) * (WIDTH - LEFT - 8);
  const y = (nodes: number) => HEIGHT - BOTTOM - (nodes / yMax) * (HEIGHT - BOTTOM - 14);
  const path = (points: readonly NodeCount[]) =>
    points
      .map(({ at, nodes }, index) => `${index === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(nodes).toFixed(1)}`)
      .join("");
  const lastAt = measured.at(-1)?.at ?? fromAt;
  const zone =
    limit?.earliestAt == null
      ? null
      : { from: x(limit.earliestAt), to: x(Math.min(toAt, limit.latestAt ?? toAt)) };
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label="Nodes over time with their projection"
      className="w-full"
    >
      {[0, yMax / 2, yMax].map((nodes) => (
        <g key={nodes}>
          <line x1={LEFT} x2={WIDTH - 8} y1={y(nodes)} y2={y(nodes)} stroke="var(--line)" />
          <text x={LEFT - 6} y={y(nodes) + 4} textAnchor="end" className="fill-[var(--text-3)] text-xs">
            {formatCount(nodes)}
          </text>
        </g>
      ))}
      {zone !== null && zone.to > zone.from && (
        <rect
          x={zone.from}
          width={Math.max(1, zone.to - zone.from)}
          y={14}
          height={HEIGHT - BOTTOM - 14}
          fill="var(--s1)"
          opacity="var(--band)"
        />
      )}
      {limit !== null && (
        <line
          x1={LEFT}
          x2={WIDTH - 8}
          y1={y(limit.nodes)}
          y2={y(limit.nodes)}
          stroke="var(--limit)"
          strokeWidth="1.2"
        />
      )}
      <path d={path(measured)} fill="none" stroke="var(--s1)" strokeWidth="1.6" />
      <path d={path(projected)} fill="none" stroke="var(--s1)" strokeWidth="1.6" strokeDasharray="1.5 3" />
      {[fromAt, lastAt, toAt].map((at, index) => (
        <text
          key={`${index === 0 ? "from" : index === 1 ? "now" : "to"}`}
          x={x(at)}
          y={HEIGHT - 5}
          textAnchor={index === 0 ? "start" : index === 2 ? "end" : "middle"}
          className="fill-[var(--text-3)] text-xs"
        >
          {index === 1 ? "now" : formatDate(at, lastAt, timeZone)}
        </text>
      ))}
    </svg>
  );
}

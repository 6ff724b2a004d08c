"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import { type ChartMark, prepareMarks } from "@/components/charts/prepare-chart";
import { type Crosshair, TimeChart } from "@/components/charts/time-chart";
import { ClusterFrame } from "@/components/clusters/cluster-frame";
import { ClusterPageState } from "@/components/clusters/cluster-page-state";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { RefreshNotice } from "@/components/frame/refresh-notice";
import { Instant } from "@/components/time/instant";
import { Button } from "@/components/ui/button";
import { Panel, PanelBody } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { Segments } from "@/components/ui/segments";
import { HISTORY_RANGES, type HistoryQuery, type HistoryResponse } from "@/lib/contracts/history";
import { DEFAULT_RANGE, historyQuery } from "@/lib/queries/clusters";
import { EventsPanel } from "./events-panel";
import { historyMarkdown } from "./history-markdown";
import { neighbourAt, prepareHistoryCharts } from "./prepare-history";

const URL_STATE = {
  range: parseAsStringLiteral(HISTORY_RANGES).withDefault(DEFAULT_RANGE),
  server: parseAsString,
  level: parseAsString,
  at: parseAsInteger,
};

/** What happened in this cluster, and how did its seats move with it? */
export function HistoryPage({ clusterId }: { clusterId: string }) {
  const [url, setUrl] = useQueryStates(URL_STATE, { history: "push", scroll: false });
  const wanted: HistoryQuery = {
    range: url.range,
    ...(url.server === null ? {} : { server: url.server }),
    ...(url.level === null ? {} : { level: url.level }),
    ...(url.at === null ? {} : { at: url.at }),
  };
  const query = useQuery(historyQuery(clusterId, wanted));
  const response = query.data;
  if (response === undefined) return <ClusterPageState query={query} panel="History" />;
  return (
    <ClusterFrame
      header={response.header}
      area="history"
      actions={<CopyMarkdown makeText={() => historyMarkdown({ response, url: window.location.href })} />}
    >
      <RefreshNotice query={query} />
      <Controls
        response={response}
        range={url.range}
        isPending={query.isPlaceholderData}
        onChange={(next) => void setUrl(next)}
      />
      <Charts
        response={response}
        isPending={query.isPlaceholderData}
        rangeKey={`${url.range}|${url.at ?? "now"}`}
      />
    </ClusterFrame>
  );
}

type Choice = Partial<Record<"server" | "level", string | null>> & {
  range?: HistoryQuery["range"];
  at?: number | null;
};

function Controls(props: {
  response: HistoryResponse;
  range: HistoryQuery["range"];
  isPending: boolean;
  onChange: (choice: Choice) => void;
}) {
  const { response, range, isPending, onChange } = props;
  const { fromAt, toAt, frame, servers, serverId, priorityLevelNames, priorityLevelName } = response;
  const later = neighbourAt(response, "later", frame.now);
  const isPast = toAt < frame.now - 60_000;
  return (
    <search aria-label="What the charts show" className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Segments
        label="Range"
        value={range}
        onChange={(next) => onChange({ range: next })}
        options={HISTORY_RANGES.map((value) => ({ value, label: value }))}
      />
      <span className="flex items-center gap-1">
        <Button
          look="icon"
          aria-label="Earlier"
          onClick={() => onChange({ at: neighbourAt(response, "earlier", frame.now) })}
        >
          <ChevronLeft size={15} aria-hidden="true" />
        </Button>
        <Button look="icon" aria-label="Later" disabled={!isPast} onClick={() => onChange({ at: later })}>
          <ChevronRight size={15} aria-hidden="true" />
        </Button>
        {isPast && (
          <Button isSmall onClick={() => onChange({ at: null })}>
            To now
          </Button>
        )}
      </span>
      <span className="text-fg-2 tabular-nums">
        <Instant at={fromAt} look="day-and-minute" /> to <Instant at={toAt} look="day-and-minute" />
      </span>
      {servers.length > 1 && serverId !== null && (
        <Segments
          label="API server"
          value={serverId}
          onChange={(id) => onChange({ server: servers.find((server) => server.id === id)?.name ?? id })}
          options={servers.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      {priorityLevelNames.length > 0 && (
        <label className="flex max-w-full items-center gap-1.5 text-s text-fg-2">
          Priority level
          <select
            value={priorityLevelName ?? ""}
            onChange={(event) => onChange({ level: event.target.value })}
            className="h-[var(--control-h)] min-w-0 rounded-2 border border-control bg-raised px-2 text-m text-fg"
          >
            {priorityLevelNames.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <span role="status" className="text-s text-fg-3">
        {isPending && "Reading the store"}
      </span>
    </search>
  );
}

/** Charts two by two where there is room, the first alone in its row if they are odd; changes beside them. */
function Charts(props: { response: HistoryResponse; isPending: boolean; rangeKey: string }) {
  const { response, isPending, rangeKey } = props;
  const [crosshair, setCrosshair] = useState<Crosshair>(null);
  const marks = useMemo(() => prepareMarks(response.events, response.fromAt, response.toAt), [response]);
  const charts = useMemo(() => prepareHistoryCharts(response, marks), [response, marks]);
  return (
    <div className="grid items-start gap-[var(--gap)] lg:grid-cols-12">
      <div className="grid min-w-0 gap-[var(--gap)] lg:col-span-8 min-[1280px]:col-span-9 min-[1280px]:grid-cols-2">
        {charts.length === 0 && (
          <Panel title="Charts" className="min-[1280px]:col-span-2">
            <EmptyState lead="Nothing is stored for this range">
              Series begin when Headroom first reads a cluster; they are kept as scraped for 2 h, then by 5
              min, then by the hour.
            </EmptyState>
          </Panel>
        )}
        {charts.map(({ key, chart, drawing }) => (
          <Panel
            key={key}
            title={chart.title}
            state={isPending ? "stale" : "normal"}
            className="min-[1280px]:[&:first-child:nth-last-child(odd)]:col-span-2"
          >
            <PanelBody>
              <TimeChart
                chart={chart}
                drawing={drawing}
                height={150}
                crosshair={crosshair}
                onCrosshair={setCrosshair}
              />
            </PanelBody>
          </Panel>
        ))}
      </div>
      <div className="min-w-0 lg:sticky lg:top-[calc(var(--bar-h)+var(--gap))] lg:col-span-4 min-[1280px]:col-span-3">
        <EventsPanel
          key={rangeKey}
          response={response}
          letters={lettersOf(marks)}
          onPoint={setCrosshair}
          isPending={isPending}
        />
      </div>
    </div>
  );
}

/** Letter of a change by its instant in seconds. */
const lettersOf = (marks: readonly ChartMark[]): ReadonlyMap<string, string> =>
  new Map(marks.map(({ at, label, letter }) => [`${at}|${label}`, letter]));

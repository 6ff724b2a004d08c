"use client";

import { clsx } from "clsx";
import { useEffect, useState } from "react";
import { Panel, PanelBody, type PanelState } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { Segments } from "@/components/ui/segments";
import { VerdictMark } from "@/components/ui/verdict-mark";
import type { DrawnServer } from "@/lib/domain/what-if/drawn-storm";
import { formatDuration } from "@/lib/format/duration";
import { formatCount, formatPlural } from "@/lib/format/number";
import { Sim } from "./cells";
import { type Lens, prepareStormChart } from "./prepare-storm-chart";
import { StormChartView } from "./storm-chart";
import { type StormFigure, stormFigures, stormFoot } from "./storm-figures";
import type { WhatIfState } from "./what-if-state";

/** How long a new storm may take before the page says how far it has come. */
const PROGRESS_AFTER_MS = 300;

const LENS_LABELS: Readonly<Record<Lens, string>> = {
  seats: "Seats",
  bytes: "Bytes per second",
  memory: "Memory",
};

/** The storm on the busiest API server, its figures with their bands, and what bounds it. */
export function StormPanel(props: {
  view: WhatIfState;
  lens: Lens;
  onLens: (lens: Lens) => void;
  state: PanelState;
}) {
  const { view, lens, onLens, state } = props;
  const { storm, isPending, progress, bands, failure } = view;
  const before: DrawnServer | null = isPending ? (storm?.server ?? null) : null;
  const server = isPending ? (progress?.server ?? null) : (storm?.server ?? null);
  const chart = prepareStormChart({
    lens,
    server,
    before,
    bands: isPending ? null : (bands?.series ?? null),
  });
  const count = storm?.apiServers ?? 1;
  return (
    <Panel
      title={
        count === 1
          ? "Storm on the only API server"
          : `Storm on ${(server ?? before)?.name ?? "one"}, the busiest of ${formatPlural(count, "API server")}`
      }
      state={state}
      meta={
        <>
          <Progress view={view} />
          {storm !== null && failure === null && (
            <span className={clsx(isPending && "opacity-45")}>
              <VerdictMark verdict={storm.verdict.verdict} />
            </span>
          )}
          <Segments
            label="Lens"
            value={lens}
            onChange={onLens}
            options={(["seats", "bytes", "memory"] as const).map((value) => ({
              value,
              label: LENS_LABELS[value],
            }))}
          />
        </>
      }
      foot={storm === null || failure !== null ? null : stormFoot(storm).join(" ")}
    >
      {failure !== null ? (
        <EmptyState kind="unknown" lead="This cannot be simulated">
          {failure}
        </EmptyState>
      ) : (
        <>
          <Figures view={view} />
          {storm !== null && <Reasons view={view} />}
          <PanelBody className="pt-2">
            <StormChartView chart={chart} isPending={isPending && storm !== null} />
          </PanelBody>
        </>
      )}
    </Panel>
  );
}

const NAMES = [
  "Drains in",
  "Peak seats / limit",
  "Waiting, peak",
  "Rejected, all servers",
  "Attempts per LIST",
  "Neighbours wait p99",
] as const;
const NO_FIGURES: readonly StormFigure[] = NAMES.map((name) => ({
  name,
  figure: "",
  behind: null,
  band: "",
  detail: "",
  isBad: false,
}));

function Figures({ view }: { view: WhatIfState }) {
  const { storm, isPending } = view;
  const figures = storm === null ? NO_FIGURES : stormFigures(storm, view);
  return (
    <dl
      aria-busy={isPending}
      className={clsx(
        "grid grid-cols-2 gap-px border-y border-line bg-line sm:grid-cols-3 lg:grid-cols-6",
        isPending && storm !== null && "[&_dd]:opacity-55",
      )}
    >
      {figures.map(({ name, figure, behind, band, detail, isBad }) => (
        <div key={name} className="min-w-0 bg-panel px-3 py-2">
          <dt className="text-s text-fg-3">{name}</dt>
          <dd className="min-h-7 text-xl leading-7 whitespace-nowrap">
            {figure === "" ? (
              <i className="inline-block h-[9px] w-16 rounded-1 bg-line align-middle" />
            ) : figure === "–" ? (
              figure
            ) : (
              <Sim>
                <span className={clsx(isBad && "text-error")}>{figure}</span>
              </Sim>
            )}{" "}
            {behind !== null && <span className="text-l text-fg-3">{behind}</span>}
          </dd>
          <dd className="min-h-[18px] text-s text-fg-2">{band}</dd>
          <dd className="min-h-[18px] text-s text-fg-3">{detail}</dd>
        </div>
      ))}
    </dl>
  );
}

const REASONS_SHOWN = 4;

function Reasons({ view: { storm, isPending } }: { view: WhatIfState }) {
  if (storm === null) return null;
  const { verdict, reasons, simulated } = storm.verdict;
  const shown = reasons.slice(0, REASONS_SHOWN);
  return (
    <p className={clsx("px-3 pt-2 leading-[1.4] text-fg-2", isPending && "opacity-55")}>
      {verdict === "inconclusive" && (
        <>
          By its figures alone it is <b>{simulated}</b>, and they carry no verdict.{" "}
        </>
      )}
      {shown.length === 0
        ? "Nobody is rejected, and nobody waits for long: it would not be noticed."
        : shown.map(({ text }) => text).join(" ")}
      {reasons.length > shown.length && ` And ${formatCount(reasons.length - shown.length)} more.`}
    </p>
  );
}

/** Nothing for a quick one; after 300 ms how far it has come; then how many seeds are in. */
function Progress({ view }: { view: WhatIfState }) {
  const { isPending, progress, askId, isDone, bands, seedsWanted, failure } = view;
  const isLate = useLate(isPending && failure === null, askId);
  if (failure !== null) return null;
  if (isPending) {
    if (!isLate) return null;
    return (
      <span>
        simulating
        {progress !== null &&
          `, at ${formatDuration(progress.simulatedSeconds)}, ${formatCount(progress.copiesDone)} of ${formatCount(progress.copies)} copies done`}
      </span>
    );
  }
  const seeds = bands?.seeds.length ?? 1;
  return isDone || seeds >= seedsWanted ? null : (
    <span>
      incomplete: {formatCount(seeds)} of {formatCount(seedsWanted)} seeds
    </span>
  );
}

function useLate(isWaiting: boolean, askId: number | null): boolean {
  const [late, setLate] = useState<number | null>(null);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setLate(askId), PROGRESS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, askId]);
  return isWaiting && late === askId;
}

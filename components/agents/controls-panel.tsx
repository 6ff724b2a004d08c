"use client";

import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "@/components/ui/button";
import { Panel, PanelBody } from "@/components/ui/panel";
import type { AgentClusterRow } from "@/lib/contracts/agent-pages";
import { formatDuration } from "@/lib/format/duration";
import { formatCount } from "@/lib/format/number";

export const JITTER_MAX_SECONDS = 300;

/** What may be changed at once: where, how many copies, how far apart they start. */
export function ControlsPanel(props: {
  clusters: readonly AgentClusterRow[];
  clusterId: string | null;
  onCluster: (clusterId: string) => void;
  replicas: number;
  replicasMax: number;
  onReplicas: (replicas: number, isDone: boolean) => void;
  /** Under the slider; `null`: nothing. */
  replicasNote: ReactNode;
  jitterSeconds: number;
  onJitter: (seconds: number, isDone: boolean) => void;
  onReset: (() => void) | null;
}) {
  const { clusters, clusterId, onCluster, replicas, replicasMax, onReplicas, replicasNote } = props;
  const { jitterSeconds, onJitter, onReset } = props;
  const selectId = useId();
  const isListed = clusters.some((each) => each.clusterId === clusterId);
  return (
    <Panel
      title="What if"
      meta={
        <Button look="ghost" isSmall onClick={() => onReset?.()} disabled={onReset === null}>
          Reset
        </Button>
      }
    >
      <PanelBody className="grid gap-3">
        <div className="grid gap-1">
          <label htmlFor={selectId} className="text-s text-fg-3">
            Cluster
          </label>
          <select
            id={selectId}
            value={clusterId ?? ""}
            onChange={(event) => onCluster(event.currentTarget.value)}
            className="h-[var(--control-h)] w-full min-w-0 rounded-2 border border-control bg-raised px-2"
          >
            {!isListed && <option value={clusterId ?? ""}>not simulated yet</option>}
            {clusters.map(({ clusterId: id, clusterName, nodes, verdict }) => (
              <option key={id} value={id}>
                {clusterName} · {nodes === null ? "nodes not known" : `${formatCount(nodes)} nodes`} ·{" "}
                {verdict}
              </option>
            ))}
          </select>
        </div>
        <Slider
          label="Replicas"
          min={stepFor(replicasMax)}
          max={replicasMax}
          step={stepFor(replicasMax)}
          value={replicas}
          text={formatCount(replicas)}
          onChange={onReplicas}
        >
          <span>{formatCount(stepFor(replicasMax))}</span>
          <span>{replicasNote}</span>
          <span>{formatCount(replicasMax)}</span>
        </Slider>
        <Slider
          label="Start jitter"
          min={0}
          max={JITTER_MAX_SECONDS}
          step={5}
          value={jitterSeconds}
          text={formatDuration(jitterSeconds)}
          onChange={onJitter}
        >
          <span>{formatDuration(0)}</span>
          <span>{formatDuration(JITTER_MAX_SECONDS)}</span>
        </Slider>
      </PanelBody>
    </Panel>
  );
}

/** A step that one sees, and 1 for few. */
const stepFor = (max: number): number =>
  max <= 200 ? 1 : 10 ** Math.max(0, Math.floor(Math.log10(max / 200)));

/** How long a keyboard rests before what it chose is a choice of its own. */
const SETTLE_MS = 400;

function Slider(props: {
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  text: string;
  /** `isDone`: released, or the keys rest. */
  onChange: (value: number, isDone: boolean) => void;
  children: ReactNode;
}) {
  const { label, min, max, step, value, text, onChange, children } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    const element = input.current;
    if (element === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // React's change is the browser's input; the browser's change says that a pointer let go or a key was pressed.
    const onSettle = () => {
      clearTimeout(timer);
      timer = setTimeout(() => latest.current(Number(element.value), true), SETTLE_MS);
    };
    element.addEventListener("change", onSettle);
    return () => {
      clearTimeout(timer);
      element.removeEventListener("change", onSettle);
    };
  }, []);
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="flex justify-between text-s text-fg-3">
        {label} <output className="text-fg">{text}</output>
      </label>
      <input
        ref={input}
        id={id}
        type="range"
        {...{ min, max, step, value }}
        aria-valuetext={text}
        onChange={(event) => onChange(Number(event.currentTarget.value), false)}
        className="h-6 w-full accent-[var(--accent-fill)]"
      />
      <div className="flex justify-between gap-2 text-xs text-fg-3 tabular-nums">{children}</div>
    </div>
  );
}

"use client";

import { clsx } from "clsx";
import { type ReactNode, useId } from "react";
import { Panel } from "@/components/ui/panel";
import { VerdictMark } from "@/components/ui/verdict-mark";
import type { SideStorm } from "@/lib/domain/what-if/what-if-runner";
import { Sim } from "./cells";
import { formatDrain } from "./storm-figures";

export interface Choice<Name extends string> {
  readonly name: Name;
  readonly title: string;
  readonly note: string;
  /** `undefined`: not simulated yet; `null`: cannot be. */
  readonly side: SideStorm | null | undefined;
  /** Why it cannot be chosen; absent: it can. */
  readonly barred?: string | undefined;
}

/** Choices one below the other, each with its own verdict: one of them, or several at once. */
export function ChoicesPanel<Name extends string>(props: {
  title: string;
  meta: string;
  choices: readonly Choice<Name>[];
  chosen: readonly Name[];
  isMultiple?: boolean;
  onChoose: (name: Name) => void;
  foot?: ReactNode;
}) {
  const { title, meta, choices, chosen, isMultiple = false, onChoose, foot } = props;
  const group = useId();
  return (
    <Panel title={title} meta={meta} foot={foot}>
      <fieldset aria-label={title} className="border-t border-line">
        {choices.map(({ name, title: words, note, side, barred }) => {
          const isChosen = chosen.includes(name);
          return (
            <label
              key={name}
              className={clsx(
                "grid min-h-8 grid-cols-[16px_minmax(0,1fr)_auto] items-start gap-x-2 border-b border-line px-3 py-1.5 last:border-b-0",
                barred === undefined ? "cursor-pointer hover:bg-raised" : "text-fg-3",
                isChosen && "bg-accent-tint shadow-[inset_3px_0_var(--accent)]",
              )}
            >
              <input
                type={isMultiple ? "checkbox" : "radio"}
                name={group}
                checked={isChosen}
                disabled={barred !== undefined && !isChosen}
                onChange={() => onChoose(name)}
                className="mt-[3px] size-4 accent-[var(--accent-fill)]"
              />
              <span className="leading-[1.35]">{words}</span>
              {barred === undefined ? <SideVerdict side={side} /> : <span />}
              <small className="col-span-2 col-start-2 text-s leading-[1.35] text-fg-3">
                {barred ?? note}
                {barred === undefined && side != null && (
                  <>
                    {" · "}
                    <Sim>{formatDrain(side.outcome, side.drainSeconds)}</Sim>
                  </>
                )}
              </small>
            </label>
          );
        })}
      </fieldset>
    </Panel>
  );
}

function SideVerdict({ side }: { side: SideStorm | null | undefined }) {
  if (side === undefined)
    return (
      <span className="text-s text-fg-3">
        <span aria-hidden="true">…</span>
        <span className="sr-only">not simulated yet</span>
      </span>
    );
  if (side === null) return <span className="text-s text-fg-3">not possible</span>;
  return <VerdictMark verdict={side.verdict.verdict} title={side.verdict.reasons[0]?.text} />;
}

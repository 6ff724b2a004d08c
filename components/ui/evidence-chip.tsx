"use client";

import { clsx } from "clsx";
import { Popover } from "radix-ui";
import { Instant } from "@/components/time/instant";
import type { Evidence, EvidenceGrade } from "@/lib/domain/agents/evidence";

const EDGES: Readonly<Record<EvidenceGrade, string>> = {
  measured: "border-solid border-control",
  declared: "border-solid border-line-strong",
  catalogued: "border-dashed border-control",
  bounded: "border-dotted border-control text-fg-3",
};

const chipClass = (grade: EvidenceGrade) =>
  clsx(
    "inline-flex h-[17px] items-center rounded-1 border px-[5px] align-[1px] text-xs whitespace-nowrap text-fg-2",
    EDGES[grade],
  );

/** A grade of evidence that opens nothing: of a sum, where the weakest of its inputs decides. */
export const GradeChip = ({ grade }: { grade: EvidenceGrade }) => (
  <span className={chipClass(grade)}>{grade}</span>
);

/** A grade of evidence; pressed, it says source, time, and what would raise it. Inside a table it is no stop of its own. */
export function EvidenceChip({
  evidence,
  about,
  isInRow = false,
}: {
  evidence: Evidence;
  about: string;
  isInRow?: boolean;
}) {
  const { grade, source, observedAt, citation, raisedBy, otherVersion } = evidence;
  return (
    <Popover.Root>
      <Popover.Trigger
        tabIndex={isInRow ? -1 : 0}
        aria-label={`${grade}: evidence of ${about}`}
        className={clsx(chipClass(grade), "relative hover:text-fg after:absolute after:-inset-[4px]")}
      >
        {grade}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={`Evidence of ${about}`}
          sideOffset={4}
          collisionPadding={12}
          className="z-40 grid max-w-[44ch] gap-1 rounded-2 border border-line-strong bg-panel px-3 py-2 text-s text-fg shadow-pop"
        >
          <p className="font-medium wrap-anywhere">{about}</p>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
            <dt className="text-fg-3">Source</dt>
            <dd className="wrap-anywhere">{source}</dd>
            <dt className="text-fg-3">Observed</dt>
            <dd>{observedAt === null ? "has no time" : <Instant at={observedAt} look="full" />}</dd>
            {citation !== null && (
              <>
                <dt className="text-fg-3">Read in</dt>
                <dd className="font-mono text-xs wrap-anywhere">{citation}</dd>
              </>
            )}
            {otherVersion != null && (
              <>
                <dt className="text-fg-3">Of version</dt>
                <dd>{otherVersion}, not of the one that runs</dd>
              </>
            )}
            <dt className="text-fg-3">Raised by</dt>
            <dd>{raisedBy ?? "Nothing: it is as good as it gets."}</dd>
          </dl>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

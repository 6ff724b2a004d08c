import { Age, Instant } from "@/components/time/instant";
import type { PanelState } from "@/components/ui/panel";
import { SeverityMark } from "@/components/ui/severity";
import type { PartReport } from "@/lib/contracts/common";
import { describeFailure } from "./part-words";

/** Stale when older than two of its periods, partial when something of it was not read. */
export function panelStateOf(part: PartReport | null | undefined): PanelState {
  if (part === null || part === undefined || part.valueAt === null) return "normal";
  if (part.isStale) return "stale";
  return part.status === "partial" ? "partial" : "normal";
}

/** Age of a panel's values in its head: `measured 12 s ago`, or since when they are the last known good ones. */
export function PanelAge({ part, at }: { part: PartReport | null | undefined; at?: number | null }) {
  const valueAt = at ?? part?.valueAt ?? null;
  if (valueAt === null) return null;
  if (part?.isStale !== true) {
    return (
      <span>
        measured <Age at={valueAt} /> ago
      </span>
    );
  }
  return (
    <SeverityMark
      kind="unknown"
      word={
        <>
          last known good, <Instant at={valueAt} look="clock" />, <Age at={valueAt} /> old
        </>
      }
    />
  );
}

/** Why values are old or missing, and when the next try is; `null` where nothing is. */
export function StateFoot({ part }: { part: PartReport | null | undefined }) {
  if (part === null || part === undefined) return null;
  const next = part.nextAttemptAt !== null && (
    <>
      {" "}
      Next try <Instant at={part.nextAttemptAt} look="clock" />.
    </>
  );
  if (part.isStale || part.status === "failed") {
    return (
      <>
        {part.failure === null ? "No newer value was read." : `${describeFailure(part.failure)}.`}
        {next}
      </>
    );
  }
  const [missing] = part.notRead;
  if (part.status !== "partial" || missing === undefined) return null;
  const more = part.notRead.length - 1;
  return (
    <>
      Not read: {missing.what} ({describeFailure(missing.failure)}){more > 0 && ` and ${more} more`}.
    </>
  );
}

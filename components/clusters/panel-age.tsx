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
  return <LastKnownGood at={valueAt} />;
}

/** Age of stored objects in a head: `read 4 min ago`, or since when they are the last known good ones. */
export function ObjectsAge({ at, word, state }: { at: number | null; word: string; state: PanelState }) {
  if (at === null) return null;
  if (state === "stale") return <LastKnownGood at={at} />;
  return (
    <span>
      {word} <Age at={at} /> ago
    </span>
  );
}

function LastKnownGood({ at }: { at: number }) {
  return (
    <SeverityMark
      kind="unknown"
      word={
        <>
          last known good, <Instant at={at} look="clock" />, <Age at={at} /> old
        </>
      }
    />
  );
}

/** Names of what else was not read, before the rest is counted. */
const NAMED = 3;

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
        {part.failure === null ? "No newer value was read." : `${inSentence(part.failure)}.`}
        {next}
      </>
    );
  }
  const [missing, ...others] = part.notRead;
  if (part.status !== "partial" || missing === undefined) return null;
  return (
    <>
      Not read: {missing.what} ({describeFailure(missing.failure)})
      {others.slice(0, NAMED).map(({ what }) => `, ${what}`)}
      {others.length > NAMED && ` and ${others.length - NAMED} more`}.
    </>
  );
}

/** As a sentence begins. */
function inSentence(failure: Parameters<typeof describeFailure>[0]): string {
  const text = describeFailure(failure);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

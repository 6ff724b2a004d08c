import { VerdictMark } from "@/components/ui/verdict-mark";
import type { VerdictCounts as Counts } from "@/lib/contracts/agent-pages";
import { VERDICT_ORDER } from "@/lib/domain/fan-out/fan-out-summary";
import { formatCount } from "@/lib/format/number";

/** How many clusters have each verdict, worst first; verdicts that none has are left out. */
export function VerdictCounts({ counts }: { counts: Counts }) {
  return (
    <span className="inline-flex flex-wrap gap-x-2.5 gap-y-1">
      {VERDICT_ORDER.filter((verdict) => counts[verdict] > 0).map((verdict) => (
        <span key={verdict} className="inline-flex items-center gap-1 tabular-nums">
          <VerdictMark verdict={verdict} /> {formatCount(counts[verdict])}
        </span>
      ))}
    </span>
  );
}

export const countsText = (counts: Counts): string =>
  VERDICT_ORDER.filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${formatCount(counts[verdict])} ${verdict}`)
    .join(", ");

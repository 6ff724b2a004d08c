import type { Column } from "@/components/tables/column";
import { SeverityMark } from "@/components/ui/severity";
import { explainVerdict } from "@/lib/domain/fairness/matching/explain-trace";
import type { FlowSchemaTrace } from "@/lib/domain/fairness/matching/flow-classifier";

/** How each FlowSchema fared, in the order in which the API server tries them. `hasAllReasons`: not the first alone. */
export function traceColumns(hasAllReasons: boolean): readonly Column<FlowSchemaTrace>[] {
  return [
    {
      id: "precedence",
      label: "Precedence",
      isNumeric: true,
      cellClass: "w-[84px]",
      cell: ({ matchingPrecedence }) => String(matchingPrecedence),
      text: ({ matchingPrecedence }) => String(matchingPrecedence),
      csv: ({ matchingPrecedence }) => matchingPrecedence,
    },
    {
      id: "flowschema",
      label: "FlowSchema",
      cellClass: "wrap min-w-[100px]!",
      cell: ({ flowSchemaName, isSupplied, verdict }) => (
        <span className={isHit(verdict) ? "font-medium" : undefined}>
          {flowSchemaName}
          {isSupplied && <span className="text-fg-3"> (supplied by the API server)</span>}
        </span>
      ),
      text: ({ flowSchemaName, isSupplied }) =>
        `${flowSchemaName}${isSupplied ? " (supplied by the API server)" : ""}`,
      csv: ({ flowSchemaName }) => flowSchemaName,
    },
    {
      id: "verdict",
      label: "How it fares",
      cellClass: "wrap min-w-[160px]!",
      cell: (entry) => <Verdict entry={entry} hasAllReasons={hasAllReasons} />,
      text: (entry) => reasonsOf(entry, hasAllReasons).join(" "),
      csv: (entry) => reasonsOf(entry, true).join(" "),
    },
  ];
}

export const isHit = (verdict: FlowSchemaTrace["verdict"]): boolean =>
  verdict === "matched" || verdict === "fallback";

function Verdict({ entry, hasAllReasons }: { entry: FlowSchemaTrace; hasAllReasons: boolean }) {
  if (entry.verdict === "skipped") return <SeverityMark kind="warning" word={explainVerdict(entry)} />;
  const reasons = reasonsOf(entry, hasAllReasons);
  return (
    <span className={isHit(entry.verdict) ? "text-fg" : "text-fg-3"}>
      {reasons.map((reason) => (
        <span key={reason} className="block">
          {reason}
        </span>
      ))}
    </span>
  );
}

export function reasonsOf(entry: FlowSchemaTrace, hasAllReasons: boolean): readonly string[] {
  const { verdict, mismatches } = entry;
  if (hasAllReasons && verdict === "not-matched" && mismatches.length > 0) {
    return mismatches.map(({ text }) => text);
  }
  return [explainVerdict(entry)];
}

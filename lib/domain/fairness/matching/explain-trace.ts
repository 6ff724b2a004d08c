import type { FlowSchemaTrace } from "./flow-classifier.ts";

/**
 * How a FlowSchema fared, for people, without its name: `matches: Group a by spec.rules[0].resourceRules[0].`, or the
 * first reason why not and how many more there are.
 */
export function explainVerdict({ verdict, skipReason, mismatches, match }: FlowSchemaTrace): string {
  switch (verdict) {
    case "skipped":
      return skipReason ?? "It is not used.";
    case "matched":
      return `matches: ${match?.subject} by ${match?.entryPath}.`;
    case "fallback":
      return "takes what nothing else matches.";
    case "not-matched": {
      const [first] = mismatches;
      const more = mismatches.length > 1 ? ` (and ${mismatches.length - 1} more)` : "";
      return `${first?.text ?? "It does not match."}${more}`;
    }
    default: {
      const never: never = verdict;
      throw new Error(`unknown verdict ${String(never)}`);
    }
  }
}

import type { PartReport, SeverityValue } from "@/lib/contracts/common";
import { formatDuration } from "@/lib/format/duration";

/** What the parts of a pass are called on a page. */
export const PART_TITLES: Readonly<Record<PartReport["part"], string>> = {
  version: "version, gates",
  servers: "API servers",
  sizes: "counts and sizes",
  fairness: "fairness",
  inventory: "inventory",
};

/** The mark of an attempt's outcome. A part that was skipped or read in part is not known in full. */
export function partSeverity(status: PartReport["status"]): SeverityValue {
  switch (status) {
    case "ok":
      return "ok";
    case "partial":
      return "warning";
    case "skipped":
      return "unknown";
    case "failed":
      return "error";
    default:
      return status satisfies never;
  }
}

type Failure = NonNullable<PartReport["failure"]>;

/** A failed read in one line: which request, what was answered, and how long the server asks to wait. */
export function describeFailure({ verb, path, status, message, retryAfterSeconds }: Failure): string {
  const retry =
    retryAfterSeconds === null ? "" : `; the server asks to wait ${formatDuration(retryAfterSeconds)}`;
  // Most messages name their request already.
  if (path === null || message.includes(path)) return `${message}${retry}`;
  const request = [verb, path].filter((word) => word !== null).join(" ");
  return `${request}${status === null ? "" : ` answered ${status}`}: ${message}${retry}`;
}

/** What would let the read succeed; `null` where nothing on the reader's side would. */
export function describeRemedy(failure: Failure): string | null {
  switch (failure.reason) {
    case "forbidden":
      return "The ClusterRole of Headroom lacks this rule: Settings has the whole role.";
    case "unauthorized":
    case "credentials":
      return "The credentials of this kubeconfig are refused or could not be obtained.";
    case "budget":
      return "The budget of this cluster is spent: clusters.budget in the configuration raises it.";
    default:
      return null;
  }
}

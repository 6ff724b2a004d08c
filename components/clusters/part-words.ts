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

/** A failed read in one line: `GET /metrics answered 403` or why there was no answer. */
export function describeFailure(failure: Failure): string {
  const request = [failure.verb, failure.path].filter((word) => word !== null).join(" ");
  const retry =
    failure.retryAfterSeconds === null
      ? ""
      : `; the server asks to wait ${formatDuration(failure.retryAfterSeconds)}`;
  if (failure.status !== null) return `${request} answered ${failure.status}${retry}: ${failure.message}`;
  return request === "" ? failure.message : `${request}: ${failure.message}`;
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

import type { PartReport, SeverityValue } from "@/lib/contracts/common";
import { causeOf } from "@/lib/domain/clusters/failure-cause";
import { formatDuration } from "@/lib/format/duration";
import { formatPlural, UNIT_SPACE } from "@/lib/format/number";

/** What the parts of a pass are called on a page. */
export const PART_TITLES: Readonly<Record<PartReport["part"], string>> = {
  version: "version, gates",
  servers: "API servers",
  sizes: "counts and sizes",
  fairness: "fairness",
  inventory: "inventory",
};

/**
 * The widest request of each part in seats, as its latest attempt was priced: `Widest request: API servers ≈ 3 seats,
 * inventory ≈ 10 seats.` `null` where no part was priced.
 */
export function seatsByPart(parts: readonly Pick<PartReport, "part" | "seats">[]): string | null {
  const priced = parts.flatMap(({ part, seats }) =>
    seats === null || seats.widestSeats === 0
      ? []
      : [`${PART_TITLES[part]} ≈${UNIT_SPACE}${formatPlural(seats.widestSeats, "seat")}`],
  );
  return priced.length === 0 ? null : `Widest request: ${priced.join(", ")}.`;
}

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

/** What is said of a part's failure, next to its state. */
export interface ToldFailure {
  /** `null` where the part was read, in full or in part. */
  readonly failure: string | null;
  readonly remedy: string | null;
}

/**
 * What each part says, in the order given: a cause in full, with the request, where it comes first, and in a few words
 * after that; a remedy once.
 */
export function tellFailuresOnce(parts: readonly PartReport[]): readonly ToldFailure[] {
  const causes = new Set<string>();
  const remedies = new Set<string>();
  const isNew = (told: Set<string>, text: string) => told.size < told.add(text).size;
  return parts.map(({ status, failure, notRead }) => {
    const reason = failure ?? notRead[0]?.failure ?? null;
    const remedy = reason === null ? null : describeRemedy(reason);
    // A part read in part names what it lacks instead.
    const isTold = status === "failed" || status === "skipped";
    const cause = isTold && failure !== null ? causeOf(failure.message) : null;
    return {
      failure: failure !== null && cause !== null && isNew(causes, cause) ? describeFailure(failure) : cause,
      remedy: remedy !== null && isNew(remedies, remedy) ? remedy : null,
    };
  });
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

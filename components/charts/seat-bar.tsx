import { clsx } from "clsx";
import { formatCount } from "@/lib/format/number";

/** Seats in use as a bar, the current limit as a tick, on one scale for all rows. Red only where requests are rejected. */
export function SeatBar(props: { inUse: number; limit: number | null; scale: number; isRejecting: boolean }) {
  const { inUse, limit, scale, isRejecting } = props;
  const share = (seats: number) => `${Math.min(100, (seats / scale) * 100)}%`;
  const text =
    limit === null ? `${formatCount(inUse)} seats` : `${formatCount(inUse)} of ${formatCount(limit)} seats`;
  return (
    <span
      role="img"
      aria-label={text}
      className="relative inline-block h-2 w-[150px] border border-line-strong bg-raised forced-colors:border-[CanvasText]"
    >
      <i
        className={clsx(
          "absolute inset-y-0 left-0 forced-colors:bg-[Highlight]",
          isRejecting ? "bg-error" : "bg-s1",
        )}
        style={{ width: share(inUse) }}
      />
      {limit !== null && (
        <i className="absolute -inset-y-[3px] border-l-2 border-limit" style={{ left: share(limit) }} />
      )}
    </span>
  );
}

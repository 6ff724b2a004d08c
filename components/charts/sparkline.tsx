import { type PackedLine, unpackLine } from "@/lib/domain/clusters/packed-line";
import { formatShare } from "@/lib/format/number";
import { sparklinePath } from "./prepare-sparkline";

const WIDTH = 80;
const HEIGHT = 20;

/** Seats in use ÷ current limit over 24 h on one scale for the whole column; the line at the top is the limit. */
export function Sparkline({ line, now }: { line: PackedLine | null; now: number }) {
  const points = unpackLine(line);
  if (points.length === 0) return <span className="text-fg-3">not known</span>;
  const highest = Math.max(...points.map(([, ratio]) => ratio));
  const path = sparklinePath(points, {
    fromAt: now / 1000 - 86_400,
    toAt: now / 1000,
    width: WIDTH,
    height: HEIGHT,
  });
  return (
    <>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        aria-hidden="true"
        className="inline-block h-5 w-20 overflow-visible align-middle fill-none"
      >
        <path d={`M0 3H${WIDTH}`} stroke="var(--line-strong)" strokeWidth="1" />
        <path d={path} stroke="var(--s1)" strokeWidth="1.4" />
      </svg>
      <span className="sr-only">at most {formatShare(highest)} of the limit in 24 h</span>
    </>
  );
}

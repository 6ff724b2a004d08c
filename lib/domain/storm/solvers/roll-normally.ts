import type { StormBands } from "../bands.ts";
import { VERDICT_THRESHOLDS } from "../verdict.ts";

/**
 * The one line for clusters on which nothing is seen, with the thresholds that were used; `null` where any seed says
 * otherwise, or the evidence is too weak.
 */
export function rollNormally({
  verdicts,
  seeds,
  figures,
}: Pick<StormBands, "verdicts" | "seeds" | "figures">): string | null {
  if (seeds.length === 0 || verdicts.invisible !== seeds.length) return null;
  const limits = VERDICT_THRESHOLDS;
  const link =
    figures.linkRatio === null
      ? ""
      : `, ${Math.round(100 * figures.linkRatio.p95)} % of the link (limit ${100 * limits.invisibleLinkRatio} %)`;
  return (
    `Roll normally: nobody is rejected, neighbours wait ${seconds(figures.neighbourWaitSecondsP99?.p95)} ` +
    `(limit ${limits.invisibleNeighbourWaitSeconds} s), its own requests ${seconds(figures.ownWaitSecondsP99?.p95)} ` +
    `(limit ${limits.invisibleOwnWaitSeconds} s)${link}.`
  );
}

const seconds = (value: number | undefined) => {
  if (value === undefined) return "0 s";
  return value > 0 && value < 0.1 ? "under 0.1 s" : `${Math.round(10 * value) / 10} s`;
};

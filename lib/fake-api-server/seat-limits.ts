/** A priority level as far as its limits go. Field names of flowcontrol.apiserver.k8s.io/v1. */
export interface LevelConfiguration {
  readonly name: string;
  readonly type: "Exempt" | "Limited";
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  /** `null`: unset, the level may borrow all there is. */
  readonly borrowingLimitPercent: number | null;
  readonly queues: number;
  readonly handSize: number;
}

export interface StaticLimits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * Limits that follow from configuration alone, by level name.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, v1.26 to v1.37.
 */
export function staticLimits(
  levels: readonly LevelConfiguration[],
  serverConcurrencyLimit: number,
): Map<string, StaticLimits> {
  const shares = levels.reduce((sum, level) => sum + level.nominalConcurrencyShares, 0);
  return new Map(
    levels.map((level) => {
      const nominal = Math.ceil((serverConcurrencyLimit * level.nominalConcurrencyShares) / shares);
      const lendable = Math.round((nominal * level.lendablePercent) / 100);
      const borrowable =
        level.borrowingLimitPercent === null
          ? serverConcurrencyLimit
          : Math.round((nominal * level.borrowingLimitPercent) / 100);
      return [level.name, { nominal, lower: nominal - lendable, upper: nominal + borrowable }];
    }),
  );
}

/** What one adjustment period of 10 s says of a level's demand for seats. */
export interface DemandOfPeriod {
  readonly highWatermark: number;
  readonly smoothed: number;
}

export interface CurrentLimits {
  readonly seats: ReadonlyMap<string, number>;
  readonly targets: ReadonlyMap<string, number>;
  /** 0 where demand leaves nothing to share fairly. */
  readonly fairFrac: number;
}

/**
 * Limits under borrowing after one adjustment. Good to the seat for the cases this server plays; the exempt level
 * joins the others as one more taker in 1.28 to 1.30, stands apart before and after.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go and conc_alloc.go.
 */
export function currentLimits(
  levels: readonly LevelConfiguration[],
  limits: ReadonlyMap<string, StaticLimits>,
  demands: ReadonlyMap<string, DemandOfPeriod>,
  minor: number,
): CurrentLimits {
  const seats = new Map<string, number>();
  const targets = new Map<string, number>();
  const rows = levels.map((level) => {
    const { nominal, lower, upper } = limits.get(level.name) ?? { nominal: 0, lower: 0, upper: 0 };
    const { highWatermark, smoothed } = demands.get(level.name) ?? { highWatermark: 0, smoothed: 0 };
    const low = Math.max(lower, Math.min(nominal, highWatermark));
    const target = Math.max(low, smoothed);
    targets.set(level.name, target);
    return {
      name: level.name,
      isExempt: level.type === "Exempt",
      nominal,
      lower,
      low,
      high: upper,
      target,
      highWatermark,
    };
  });
  const sumNominal = rows.reduce((sum, row) => sum + row.nominal, 0);
  const isApart = minor < 28 || minor > 30;
  const takers = isApart ? rows.filter((row) => !row.isExempt) : rows;
  let remaining = sumNominal;
  for (const row of rows) {
    if (!row.isExempt || !isApart) continue;
    const current = Math.max(row.lower, row.highWatermark);
    seats.set(row.name, current);
    if (minor > 30) remaining -= current;
  }
  const sumLower = takers.reduce((sum, row) => sum + row.lower, 0);
  const sumLow = takers.reduce((sum, row) => sum + row.low, 0);
  if (isApart && remaining <= sumLow) {
    const ratio = remaining <= sumLower ? 0 : (remaining - sumLower) / (sumLow - sumLower);
    for (const row of takers) seats.set(row.name, row.lower + Math.round((row.low - row.lower) * ratio));
    return { seats, targets, fairFrac: 0 };
  }
  const fairFrac = solveFairFrac(takers, sumNominal);
  for (const row of takers) seats.set(row.name, Math.round(shareOf(row, fairFrac)));
  return { seats, targets, fairFrac };
}

interface Taker {
  readonly low: number;
  readonly high: number;
  readonly target: number;
}

const shareOf = (row: Taker, f: number) =>
  Math.min(row.high, Math.max(row.low, f * Math.max(row.target, 0.001)));

/** The one f at which the shares add up; their sum never falls as f grows, so bisection finds it. */
function solveFairFrac(rows: readonly Taker[], total: number): number {
  let low = 0;
  let high = 1;
  const sum = (f: number) => rows.reduce((all, row) => all + shareOf(row, f), 0);
  while (sum(high) < total && high < 1e12) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (sum(middle) < total) low = middle;
    else high = middle;
  }
  return high;
}

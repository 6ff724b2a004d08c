/**
 * Work and virtual time in fixed point: whole units of 10⁻⁸ seat-seconds, held in doubles. Whole numbers below 2⁵³ are
 * exact in them, which is 9 × 10⁷ seat-seconds; `QueueSet` winds its virtual time back long before (`WIND_BACK_AT`).
 * Source: apiserver pkg/util/flowcontrol/request/seat_seconds.go, v1.26 to v1.37.
 */

/** The service time that the queue set assumes of a request before it has run: 3 ms. */
export const ASSUMED_SERVICE_NS = 3_000_000;

const UNITS_PER_SEAT_SECOND = 100_000_000n;
/** Nanoseconds per unit and seat. */
const NS_PER_UNIT = 10;

/** Virtual time at which it is wound back, and by how much. Exact: all readings are whole numbers. */
export const WIND_BACK_AT = 2 ** 51;
export const WIND_BACK_BY = 2 ** 50;

/** Work of `seats` (not necessarily whole) over `durationNs` (either sign), rounded half away from zero. */
export function seatWork(seats: number, durationNs: number): number {
  const exact = (seats * durationNs) / NS_PER_UNIT;
  return exact < 0 ? -Math.round(-exact) : Math.round(exact);
}

/** Nanoseconds for which `seats` are to be held so that `work` is done, rounded towards zero. */
export function durationOfWork(work: number, seats: number): number {
  return Math.trunc((work / seats) * NS_PER_UNIT);
}

/** A reading that was wound back `windBacks` times, as an integer in units of 10⁻⁸ seat-seconds. */
export function unwind(reading: number, windBacks: number): bigint {
  return BigInt(reading) + BigInt(windBacks) * BigInt(WIND_BACK_BY);
}

/** As upstream's debug endpoint prints it: `12.00300000ss`. */
export function formatSeatSeconds(units: bigint): string {
  const sign = units < 0n ? "-" : "";
  const size = units < 0n ? -units : units;
  const fraction = String(size % UNITS_PER_SEAT_SECOND).padStart(8, "0");
  return `${sign}${size / UNITS_PER_SEAT_SECOND}.${fraction}ss`;
}

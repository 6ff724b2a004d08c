import type { Resolution } from "../store.ts";
import { BLOCK_BUCKETS } from "./block.ts";

export const FIVE_MINUTES_SECONDS = 300;
export const HOUR_SECONDS = 3600;

/** A rolled-up table: what a bucket spans, what a row spans, where it is. */
export interface RolledUp {
  readonly table: "samples_five_minutes" | "samples_hourly";
  readonly stepSeconds: number;
  readonly blockSeconds: number;
}

export const ROLLED_UP: Readonly<Record<Exclude<Resolution, "fine">, RolledUp>> = {
  "five-minutes": {
    table: "samples_five_minutes",
    stepSeconds: FIVE_MINUTES_SECONDS,
    blockSeconds: BLOCK_BUCKETS * FIVE_MINUTES_SECONDS,
  },
  hourly: {
    table: "samples_hourly",
    stepSeconds: HOUR_SECONDS,
    blockSeconds: BLOCK_BUCKETS * HOUR_SECONDS,
  },
};

/** Start of the bucket of `step` seconds that holds `seconds`. */
export const floorTo = (seconds: number, step: number) => Math.floor(seconds / step) * step;

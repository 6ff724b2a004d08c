/**
 * A figure that an API server may be unable to give. Unknown is not zero: it carries why, and what the API server
 * itself assumes meanwhile when it prices a request (`null` where it assumes nothing).
 */
export type Reading =
  | { readonly state: "known"; readonly value: number }
  | {
      readonly state: "unknown";
      readonly reason: UnknownReason;
      readonly assumed: number | null;
      readonly assumedBecause: string | null;
    };

/**
 * `minus-one`: the server publishes −1 (its own count or size failed or has not come yet). `absent`: the metric has
 * no sample for this resource. `not-published`: this version has no such metric. `not-read`: the read failed.
 */
export type UnknownReason = "minus-one" | "absent" | "not-published" | "not-read";

export const known = (value: number): Reading => ({ state: "known", value });

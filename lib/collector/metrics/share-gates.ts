import type { FeatureGate } from "../../domain/clusters/version-part.ts";

/** Different sets of gates that are remembered; a fleet has about one per version and set of flags. */
const MOST_SETS = 256;
const known = new Map<string, readonly FeatureGate[]>();

/**
 * The same gates as one array, whichever server stated them: a fleet of hundreds of servers has some dozen sets of a
 * hundred and more, and each is kept between passes for every server.
 */
export function shareGates(gates: readonly FeatureGate[]): readonly FeatureGate[] {
  const key = JSON.stringify(gates.map(({ name, stage, enabled }) => [name, stage, enabled]));
  const shared = known.get(key);
  if (shared !== undefined) return shared;
  // Rather anew than for ever: a server that lies can state a new set every time.
  if (known.size >= MOST_SETS) known.clear();
  known.set(key, gates);
  return gates;
}

import { parseAsArrayOf, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { WHAT_IF_SCENARIOS } from "@/lib/domain/what-if/scenarios";
import { REPLICAS_MAX, WHAT_IF_SEED } from "@/lib/domain/what-if/what-if-input";
import { JITTER_MAX_SECONDS } from "./controls-panel";
import { LENSES } from "./prepare-storm-chart";

/** Everything that changes the storm or what is seen of it. Defaults are left out of the address. */
export const AGENT_URL = {
  cluster: parseAsString,
  scenario: parseAsStringLiteral(WHAT_IF_SCENARIOS).withDefault("start-all"),
  replicas: parseAsInteger,
  jitter: parseAsInteger.withDefault(0),
  remedies: parseAsArrayOf(parseAsString).withDefault([]),
  lens: parseAsStringLiteral(LENSES).withDefault("seats"),
  seed: parseAsInteger.withDefault(WHAT_IF_SEED),
  sort: parseAsString.withDefault(""),
};

/** Within what can be simulated, whatever somebody wrote into the address. */
export const clampReplicas = (replicas: number): number => Math.min(REPLICAS_MAX, Math.max(1, replicas));
export const clampJitter = (seconds: number): number => Math.min(JITTER_MAX_SECONDS, Math.max(0, seconds));

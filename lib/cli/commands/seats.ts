import { priceRequest } from "../../domain/cost/index.ts";
import { computeLimits, defaultPriorityLevels } from "../../domain/fairness/index.ts";
import { ruleVersion } from "../../domain/kubernetes/version.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { definedOf, priceOutputs, priceReasons } from "../lines/seats-line.ts";
import { formatPriceLines, formatServingLines } from "../output/price.ts";
import { chooseStyle } from "../output/style.ts";
import { missingFlags } from "../register/flag-values.ts";
import { costFieldsOf, splitPath } from "../register/request-flags.ts";
import type { SeatsFlags } from "../register/seats.ts";

const ANSWERED = 0;
const WRONG_USAGE = 2;

/** `headroom seats` for the one request that its flags describe. Returns the exit code. */
export function runSeats(flags: SeatsFlags): number {
  const { kubernetesVersion, path: given } = flags;
  const missing = missingFlags({ "--kubernetes-version": kubernetesVersion, "--path": given });
  if (missing !== null || kubernetesVersion === undefined || given === undefined) {
    process.stderr.write(`${missing}\n`);
    return WRONG_USAGE;
  }
  const plMax = levelMaxSeats(flags, kubernetesVersion);
  if (typeof plMax === "string") {
    process.stderr.write(`${plMax}\n`);
    return WRONG_USAGE;
  }
  const { path, query } = splitPath(given, flags.query);
  const request = { v: kubernetesVersion, method: flags.method, path, query, plMax, ...costFieldsOf(flags) };
  const priced = priceRequest(definedOf(request));
  if (flags.output === "json") {
    const tool = { name: "headroom", version: HEADROOM_VERSION };
    const answer = {
      schemaVersion: 1,
      tool,
      request: definedOf(request),
      ...priceOutputs(priced),
      ...priceReasons(priced),
      steps: priced.steps,
    };
    process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    return ANSWERED;
  }
  const style = chooseStyle(process.stdout, process.env);
  const { verb, resource } = priced.requestInfo;
  const isUnknown =
    (verb === "list" || verb === "watch") && flags.objects === undefined && flags.stats === undefined;
  const lines = [
    style.bold(`${flags.method} ${path}${query === "" ? "" : `?${query}`}, Kubernetes ${kubernetesVersion}`),
    ...formatPriceLines(priced, style, flags.priorityLevel === undefined ? "" : ` at ${flags.priorityLevel}`),
    ...(isUnknown
      ? [style.yellow(`  How many ${resource} there are was not given (--objects): taken as not tracked.`)]
      : []),
    ...(priced.serving === null ? [] : formatServingLines(priced.serving, style)),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return ANSWERED;
}

/** The cap of one request at its level, as given or as a default level has it; a sentence where there is no such level. */
function levelMaxSeats(
  { levelMaxSeats: given, priorityLevel, serverConcurrencyLimit }: SeatsFlags,
  v: string,
): number | undefined | string {
  if (given !== undefined && priorityLevel !== undefined) {
    return "--priority-level: not beside --level-max-seats, which says the same by number.";
  }
  if (priorityLevel === undefined) return given;
  const names = defaultPriorityLevels(ruleVersion(v).minor).map(({ name }) => name);
  if (!names.includes(priorityLevel)) {
    return `--priority-level: expected one of the default levels ${names.sort().join(", ")}, got ${JSON.stringify(priorityLevel)}. --level-max-seats takes a number.`;
  }
  const { limits } = computeLimits({ v, scl: serverConcurrencyLimit, priorityLevels: ["defaults"] });
  // To 1.27 the exempt level has no limits at all.
  return limits[priorityLevel]?.maxSeats ?? 0;
}

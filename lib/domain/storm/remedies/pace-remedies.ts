import { parseIntOrPercent } from "../../rollout/int-or-percent.ts";
import type { StormInput } from "../storm-input.ts";
import type { RollingUpdateScenario } from "../storm-scenario.ts";
import { applied, notApplicable, type RemedyAnswer } from "./remedy.ts";

/** Remedies that change when a copy asks, and not for what. */

export function startJitter(input: StormInput, { seconds }: { readonly seconds: number }): RemedyAnswer {
  const { kind } = input.scenario;
  if (kind === "api-server-restart" || kind === "api-server-loss")
    return notApplicable(
      "The copies run already when their API server goes: nothing starts that could wait.",
    );
  if (input.agents.every(({ startJitterSeconds }) => startJitterSeconds >= seconds))
    return notApplicable(`Its copies wait up to ${seconds} s and more at start already.`);
  return applied({
    ...input,
    agents: input.agents.map((agent) => ({
      ...agent,
      startJitterSeconds: Math.max(agent.startJitterSeconds, seconds),
    })),
  });
}

export function backOff(
  input: StormInput,
  { baseSeconds, capSeconds }: { readonly baseSeconds: number; readonly capSeconds: number },
): RemedyAnswer {
  const isSlower = ({ client }: StormInput["agents"][number]) =>
    client.maxRetries === 0 &&
    client.backOff.baseSeconds >= baseSeconds &&
    client.backOff.capSeconds >= capSeconds &&
    client.backOff.jitterRatio >= 1;
  if (input.agents.every(isSlower))
    return notApplicable(`Its copies wait ${baseSeconds} s to ${capSeconds} s between attempts already.`);
  return applied({
    ...input,
    agents: input.agents.map((agent) => {
      if (isSlower(agent)) return agent;
      const backOff = { ...agent.client.backOff, baseSeconds, capSeconds, jitterRatio: 1 };
      return { ...agent, client: { ...agent.client, maxRetries: 0, backOff } };
    }),
  });
}

const NO_UPDATE = "Only a rolling update is paced by it.";

/** @throws {RangeError} where the limit is neither a whole number nor a percentage. */
export function maxUnavailable(
  input: StormInput,
  { limit }: { readonly limit: number | string },
): RemedyAnswer {
  assertLimit(limit, "maxUnavailable");
  return changeUpdate(input, (scenario) => ({ ...scenario, maxUnavailable: limit, maxSurge: 0 }));
}

/** @throws {RangeError} as `maxUnavailable`. */
export function maxSurge(input: StormInput, { limit }: { readonly limit: number | string }): RemedyAnswer {
  assertLimit(limit, "maxSurge");
  if (input.agents.every(({ kind }) => kind === "StatefulSet"))
    return notApplicable("A StatefulSet has no maxSurge.");
  return changeUpdate(input, (scenario) => ({ ...scenario, maxSurge: limit, maxUnavailable: 0 }));
}

export function minReadySeconds(input: StormInput, { seconds }: { readonly seconds: number }): RemedyAnswer {
  return changeUpdate(input, (scenario) =>
    scenario.minReadySeconds >= seconds ? null : { ...scenario, minReadySeconds: seconds },
  );
}

export function onDelete(
  input: StormInput,
  { batchSize, intervalSeconds }: { readonly batchSize: number; readonly intervalSeconds: number },
): RemedyAnswer {
  if (input.scenario.kind !== "rolling-update")
    return notApplicable("Only an update waits for somebody to delete pods.");
  if (!input.agents.every(({ kind }) => kind === "DaemonSet" || kind === "StatefulSet"))
    return notApplicable("Only DaemonSets and StatefulSets have the strategy OnDelete.");
  return applied({ ...input, scenario: { kind: "batches", batchSize, intervalSeconds } }, [
    "The pods of a batch start at once, and somebody deletes them in time.",
  ]);
}

function changeUpdate(
  input: StormInput,
  change: (scenario: RollingUpdateScenario) => RollingUpdateScenario | null,
): RemedyAnswer {
  const { scenario } = input;
  if (scenario.kind !== "rolling-update") return notApplicable(NO_UPDATE);
  const changed = change(scenario);
  if (changed === null || JSON.stringify(changed) === JSON.stringify(scenario))
    return notApplicable("The update is paced by that already.");
  return applied({ ...input, scenario: changed });
}

function assertLimit(limit: number | string, name: string): void {
  const read = parseIntOrPercent(limit);
  if (read === null || Number.parseFloat(String(read)) === 0)
    throw new RangeError(`${name} must be a whole number or a percentage above 0, not ${limit}.`);
}

import { CONTROLLER_RATE } from "../../domain/rollout/client-rate-limit.ts";
import { ASSUMED_DURATIONS } from "../../domain/rollout/pod-durations.ts";
import type { StormScenario } from "../../domain/storm/index.ts";
import type { ScenarioFlags } from "../register/storm.ts";

/** A scenario with its parameters, and what it is in words. */
export interface NamedScenario {
  readonly scenario: StormScenario;
  readonly text: string;
}

type Kind = StormScenario["kind"];

/** Which parameters belong to which scenario. */
const PARAMETERS: Readonly<Record<keyof Omit<ScenarioFlags, "scenario">, readonly Kind[]>> = {
  windowSeconds: ["start-all"],
  maxUnavailable: ["rolling-update"],
  maxSurge: ["rolling-update"],
  minReadySeconds: ["rolling-update"],
  unavailable: ["rolling-update"],
  batchSize: ["batches"],
  intervalSeconds: ["batches"],
  addedNodes: ["node-scale-out"],
  nodesPerMinute: ["node-scale-out"],
  crashedSeconds: ["crash-recovery"],
  runSeconds: ["crash-recovery"],
  server: ["api-server-restart", "api-server-loss"],
  downSeconds: ["api-server-restart"],
  resumedRatio: ["api-server-restart", "api-server-loss"],
};

const dashed = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** A sentence about parameters that another scenario has; `null` where there are none. */
export function misplacedParameters(flags: ScenarioFlags): string | null {
  const given = Object.entries(PARAMETERS).flatMap(([name, kinds]) =>
    flags[name as keyof ScenarioFlags] !== undefined && !kinds.includes(flags.scenario)
      ? [`${dashed(name)} belongs to ${kinds.join(" and ")}`]
      : [],
  );
  return given.length === 0 ? null : `${given.join("; ")}; the scenario is ${flags.scenario}.`;
}

const PACE_JITTER = 0.5;
const pace = { controller: CONTROLLER_RATE, durations: ASSUMED_DURATIONS, jitterRatio: PACE_JITTER };

/** Parameters that were not given are taken as the text says. */
export function scenarioOf(flags: ScenarioFlags): NamedScenario {
  switch (flags.scenario) {
    case "start-all": {
      const windowSeconds = flags.windowSeconds ?? 2;
      return {
        scenario: { kind: "start-all", windowSeconds },
        text: `every copy starts within ${windowSeconds} s`,
      };
    }
    case "first-rollout":
      return {
        scenario: { kind: "first-rollout", ...pace },
        text: "the controller creates 20 pods a second; pulling and starting take what a small agent plausibly takes",
      };
    case "rolling-update": {
      const { maxSurge = 0, minReadySeconds = 0, unavailable = 0 } = flags;
      const maxUnavailable = flags.maxUnavailable ?? (flags.maxSurge === undefined ? "10%" : 0);
      return {
        scenario: { kind: "rolling-update", ...pace, maxUnavailable, maxSurge, minReadySeconds, unavailable },
        text: `the template changes: maxUnavailable ${maxUnavailable}, maxSurge ${maxSurge}, minReadySeconds ${minReadySeconds}, ${unavailable} copies not Available before`,
      };
    }
    case "batches": {
      const { batchSize = 10, intervalSeconds = 60 } = flags;
      return {
        scenario: { kind: "batches", batchSize, intervalSeconds },
        text: `somebody deletes ${batchSize} pods every ${intervalSeconds} s`,
      };
    }
    case "crash-recovery": {
      const { crashedSeconds = 1800, runSeconds = 1 } = flags;
      return {
        scenario: {
          kind: "crash-recovery",
          initialSeconds: 10,
          capSeconds: 300,
          runSeconds,
          crashedSeconds,
          spreadSeconds: 60,
        },
        text: `all copies crash-looped for ${crashedSeconds} s, and the cause goes away: each comes back at its next restart, back-off 10 to 300 s`,
      };
    }
    case "node-scale-out": {
      const { addedNodes = 100, nodesPerMinute = 100 } = flags;
      return {
        scenario: { kind: "node-scale-out", addedNodes, nodesPerMinute },
        text: `${addedNodes} nodes are added, ${nodesPerMinute} a minute`,
      };
    }
    case "api-server-restart": {
      const { downSeconds = 30, resumedRatio = 0 } = flags;
      const servers = flags.server === undefined ? [] : [flags.server];
      const which =
        flags.server === undefined ? "all API servers restart" : `API server ${flags.server} restarts`;
      return {
        scenario: { kind: "api-server-restart", servers, downSeconds, resumedRatio },
        text: `${which}, down for ${downSeconds} s; ${Math.round(100 * resumedRatio)} % of the watches resume`,
      };
    }
    case "api-server-loss": {
      const { server = 0, resumedRatio = 0 } = flags;
      return {
        scenario: { kind: "api-server-loss", server, noticedWithinSeconds: 1, resumedRatio },
        text: `API server ${server} is gone, its clients notice within 1 s; ${Math.round(100 * resumedRatio)} % of the watches resume`,
      };
    }
  }
}

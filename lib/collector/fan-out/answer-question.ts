import { AGENT_CATALOGUE } from "../../domain/agents/catalogue/catalogue.ts";
import { summariseFanOut } from "../../domain/fan-out/fan-out-summary.ts";
import { openFanOut } from "../../domain/fan-out/open-fan-out.ts";
import { projectAgents } from "../../domain/fan-out/project-cluster.ts";
import { hashOfInputs } from "../../services/fan-out/inputs-hash.ts";
import type { ProjectionAnswer, ProjectionQuestion } from "./projection-message.ts";

/** Simulates the agents of one cluster, unless what is stored of them still holds. `clockMs` measures the budget. */
export function answerQuestion(question: ProjectionQuestion, clockMs: () => number): ProjectionAnswer {
  const { clusterName, labels, parts, learned, now, previousHash, seeds, budgetSeconds } = question;
  const fanOut = openFanOut({ clusterName, labels, parts, learned, catalogue: AGENT_CATALOGUE, now });
  if (fanOut === null) return { kind: "nothing-known" };
  const inputsHash = hashOfInputs(fanOut.key);
  if (inputsHash === previousHash) return { kind: "unchanged" };
  const startedMs = clockMs();
  const projections = projectAgents({
    fanOut,
    seeds,
    now,
    hasTime: () => clockMs() - startedMs < budgetSeconds * 1000,
  });
  return {
    kind: "projected",
    inputsHash,
    projections,
    summary: summariseFanOut({
      at: now,
      nodes: fanOut.facts.nodes,
      agents: fanOut.agents,
      costs: fanOut.costs,
      projections: new Map(projections.map((each) => [each.agentId, each])),
    }),
    durationSeconds: (clockMs() - startedMs) / 1000,
  };
}

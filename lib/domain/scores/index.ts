/** Whether agents may go to a cluster: their costs, and storms of the scenarios in which they start. */

export { trafficOfLearned, trafficOfSamples } from "./recorded-traffic.ts";
export {
  type AgentsScore,
  type PreparedStorm,
  prepareStorm,
  type ScenarioScore,
  type ScoreFigures,
  type ScoreQuestion,
  scoreAgents,
  worstVerdict,
} from "./score-agents.ts";
export { SCORE_SCENARIO_NAMES, type ScoreScenario } from "./score-scenarios.ts";

/** Whether agents may go to a cluster: their costs, and storms of the scenarios in which they start. */
export {
  type AgentsScore,
  type ScenarioScore,
  type ScoreFigures,
  type ScoreQuestion,
  scoreAgents,
  worstVerdict,
} from "./score-agents.ts";
export { SCORE_SCENARIO_NAMES, type ScoreScenario } from "./score-scenarios.ts";

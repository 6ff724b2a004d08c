/** What becomes of an agent's storm when one thing about it is changed: what a page asks, simulated in slices. */
export {
  type DrawnServer,
  type DrawnStorm,
  drawProgress,
  drawStorm,
  type StormProgress,
} from "./drawn-storm.ts";
export {
  type OfferedScenario,
  offerScenarios,
  type ScenarioQuestion,
  WHAT_IF_SCENARIOS,
  type WhatIfScenario,
} from "./scenarios.ts";
export {
  defaultReplicas,
  type PreparedWhatIf,
  prepareWhatIf,
  REPLICAS_MAX,
  WHAT_IF_SEED,
  type WhatIfChoice,
  type WhatIfSubject,
} from "./what-if-input.ts";
export {
  applyChosen,
  type OfferedRemedy,
  offerRemedies,
  type RemediedStorm,
  type StartOfCopy,
  startOfCopy,
} from "./what-if-remedies.ts";
export {
  type SideStorm,
  type WhatIfAsk,
  type WhatIfReply,
  WhatIfRunner,
  type WhatIfRunnerOptions,
} from "./what-if-runner.ts";

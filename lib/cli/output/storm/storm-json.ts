import type { StormReport } from "../../../contracts/storm-report.ts";
import type { RemedyRow, RemedySpec } from "../../../domain/storm/index.ts";
import { formatRemedy } from "../../../domain/storm/index.ts";
import { HEADROOM_VERSION } from "../../../version.ts";
import type { AgentSources } from "../../commands/agents-sources.ts";
import type { StormAnswer } from "../../commands/storm-answer.ts";
import type { StormReplay } from "../../commands/storm-examples.ts";
import type { NamedScenario } from "../../commands/storm-scenario.ts";
import { clusterAsJson, type ReadonlyOf } from "../agents/agent-report.ts";

const HARM = ["unsafe", "inconclusive", "visible", "invisible"] as const;

export interface StormOutput {
  readonly scenario: NamedScenario;
  readonly remedies: readonly RemedySpec[];
  readonly answers: readonly StormAnswer[];
  readonly replay: StormReplay | null;
}

/** The complete form, as `public/schemas/storm-report.schema.json` describes it. */
export function formatStormJson(
  { scenario: { scenario, text }, remedies, answers, replay }: StormOutput,
  { problems, notRead }: Pick<AgentSources, "problems" | "notRead">,
): string {
  const report = {
    schemaVersion: 1 as const,
    tool: { name: "headroom" as const, version: HEADROOM_VERSION },
    verdict: HARM.find((name) => answers.some(({ verdict }) => verdict === name)) ?? null,
    scenario: { ...scenario, text },
    remedies: remedies.map(formatRemedy),
    clusters: answers.map(asJson),
    replay,
    problems,
    notRead,
  } satisfies ReadonlyOf<StormReport>;
  return JSON.stringify(report, null, 2);
}

function asJson({ cluster, nodes, comparison, ownLevel, ...answer }: StormAnswer) {
  return {
    ...clusterAsJson(cluster),
    ...answer,
    simulatedNodes: nodes,
    comparison:
      comparison === null
        ? null
        : {
            seeds: comparison.seeds,
            asItIs: rowAsJson(comparison.asItIs),
            rows: comparison.rows.map(rowAsJson),
            notApplicable: comparison.notApplicable,
          },
    ownLevel:
      ownLevel === null
        ? null
        : { nominalSeats: ownLevel.nominalSeats, manifests: ownLevel.manifests.map((each) => ({ ...each })) },
  };
}

const rowAsJson = ({ id, title, costs, effort, verdict, start, bands, saves, assumptions }: RemedyRow) => ({
  id,
  title,
  costs,
  effort,
  verdict,
  start,
  undrained: bands.undrained,
  verdicts: bands.verdicts,
  figures: bands.figures,
  saves,
  assumptions,
});

import { join } from "node:path";
import { formatCounted, formatNumber } from "../../domain/rollout/figure.ts";
import {
  type DetectionPath,
  firstHarmSeconds,
  type RolloutStage,
  type RolloutTimeline,
  rolloutTimeline,
} from "../../domain/storm/index.ts";
import { formatMemory } from "../../format/bytes.ts";
import { formatDuration } from "../../format/duration.ts";
import { plain } from "../output/price.ts";
import { packageRoot } from "../package-root.ts";
import type { StormExampleName, StormFlags } from "../register/storm.ts";
import type { StormAnswer } from "./storm-answer.ts";

/** An outage that was reported in public, with clusters made up to its size. */
interface StormExample {
  readonly name: StormExampleName;
  readonly title: string;
  readonly agent: string;
  /** Stages as they were rolled out, by file; of each how long was waited after its begin. */
  readonly stages: readonly { readonly files: readonly string[]; readonly soakSeconds: number }[];
  /** What told of it. */
  readonly paths: readonly DetectionPath[];
  /** What would have told sooner. */
  readonly missing: DetectionPath;
}

export interface StormReplay {
  readonly name: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** `null`: a cluster could not be simulated. */
  readonly timeline: RolloutTimeline | null;
  /** The same with one cluster after the other and the same soak. */
  readonly staged: RolloutTimeline | null;
}

const EXAMPLES: Readonly<Record<StormExampleName, StormExample>> = {
  "2024-12-11": {
    name: "2024-12-11",
    title: "11 December 2024: a telemetry agent on every node of every cluster",
    agent: "agent.yaml",
    stages: [
      { files: ["staging.yaml"], soakSeconds: 1200 },
      { files: ["regional.yaml", "largest.yaml"], soakSeconds: 600 },
    ],
    paths: [{ name: "DNS cache expiry", seconds: 1800 }],
    missing: { name: "alert on API server latency", seconds: 300 },
  },
};

export interface OpenedExample {
  readonly paths: readonly string[];
  readonly flags: StormFlags;
  readonly example: StormExample | null;
}

/** Paths and flags of an example in place of those of the caller; a sentence where the two do not go together. */
export function openExample(paths: readonly string[], flags: StormFlags): OpenedExample | string {
  if (flags.example === undefined) return { paths, flags, example: null };
  if (paths.length > 0 || flags.cluster !== undefined || flags.context !== undefined)
    return "--example brings its agent and clusters: neither paths nor --cluster nor --context beside it.";
  const example = EXAMPLES[flags.example];
  const folder = join(packageRoot(), "public", "examples", example.name);
  const cluster = example.stages.flatMap(({ files }) => files.map((file) => join(folder, file)));
  return {
    paths: [join(folder, example.agent)],
    flags: {
      ...flags,
      cluster,
      scenario: flags.scenario === "start-all" ? "first-rollout" : flags.scenario,
    },
    example,
  };
}

/** What broke when, when it was noticed, and what got through to take it back. */
export function replayExample(example: StormExample, answers: readonly StormAnswer[]): StormReplay {
  const { name, title, paths, missing } = example;
  if (answers.some(({ verdict }) => verdict === null))
    return { name, title, lines: [], timeline: null, staged: null };
  const rest = [...answers];
  const stages = example.stages.map(({ files, soakSeconds }): RolloutStage => {
    const clusters = rest.splice(0, files.length).map(stageCluster);
    return { clusters, soakSeconds };
  });
  const oneByOne = stages.flatMap(({ clusters, soakSeconds }) =>
    clusters.map((cluster) => ({ clusters: [cluster], soakSeconds })),
  );
  const timeline = rolloutTimeline(stages, paths);
  const staged = rolloutTimeline(oneByOne, paths);
  const watched = rolloutTimeline(stages, [...paths, missing]);
  return {
    name,
    title,
    lines: [
      ...timeline.stages.flatMap(stageLines),
      ...noticedLines(timeline, watched, missing),
      ...answers.filter(({ simulated }) => simulated === "unsafe").flatMap(removalLines),
      ...(timeline.neededSoakSeconds === 0
        ? []
        : [`A soak shows it where it breaks only if it lasts ${time(timeline.neededSoakSeconds)} and more.`]),
    ],
    timeline,
    staged,
  };
}

const time = (seconds: number) => plain(formatDuration(seconds));

function stageCluster({ cluster, simulated, series }: StormAnswer): RolloutStage["clusters"][number] {
  const isBroken = simulated === "unsafe" && series !== null;
  return {
    name: cluster.name ?? "cluster",
    verdict: simulated ?? "inconclusive",
    breaksAfterSeconds: isBroken ? firstHarmSeconds({ series }) : null,
  };
}

function stageLines(stage: RolloutTimeline["stages"][number]): readonly string[] {
  const { startsAtSeconds, clusters, breaksAtSeconds, soakSeconds, isFoundInSoak } = stage;
  const at = startsAtSeconds === 0 ? "At the begin" : `After ${time(startsAtSeconds)}`;
  const soak = `a soak of ${time(soakSeconds)}`;
  if (breaksAtSeconds === null)
    return [`${at}: ${clusters.join(", ")}. Nothing is to be seen, in ${soak} as in any other.`];
  const found = isFoundInSoak === true ? "shows it" : "shows nothing, since it is noticed later";
  return [
    `${at}: ${clusters.join(", ")}. Requests are rejected ${time(breaksAtSeconds - startsAtSeconds)} later; ${soak} ${found}.`,
  ];
}

function noticedLines(
  { noticedAtSeconds, brokenWhenNoticed, stages }: RolloutTimeline,
  watched: RolloutTimeline,
  missing: DetectionPath,
): readonly string[] {
  if (noticedAtSeconds === null) return ["Nothing breaks."];
  const by = stages.find((stage) => stage.noticedAtSeconds === noticedAtSeconds)?.noticedBy ?? "nobody";
  const lines = [
    `After ${time(noticedAtSeconds)}: noticed, by ${by}. Broken by then: ${brokenWhenNoticed.join(", ")}.`,
  ];
  if (watched.noticedAtSeconds !== null && watched.noticedAtSeconds < noticedAtSeconds)
    lines.push(`An ${missing.name} would have told after ${time(watched.noticedAtSeconds)}.`);
  return lines;
}

/** The change is taken back through the same API servers. */
function removalLines({
  cluster,
  exempt,
  neighbours,
  figures,
  series,
  undrained,
  seeds,
}: StormAnswer): readonly string[] {
  const name = cluster.name ?? "cluster";
  const others = neighbours.filter(({ isOwnFlow, sharesLevel }) => !isOwnFlow && sharesLevel);
  const requests = others.reduce((sum, each) => sum + each.requests, 0);
  const rejected = others.reduce((sum, each) => sum + each.rejectedAll, 0);
  const wait = Math.max(0, ...others.flatMap(({ waitSecondsP99 }) => waitSecondsP99 ?? []));
  const memory = figures?.memoryBytes?.p50 ?? 0;
  const { memoryBytes: limit } = cluster.facts.server;
  const lines = [
    `To take it back on ${name}, kubectl of the same level waits ${time(wait)} at p99, ${formatNumber(rejected)} of ${formatCounted(requests, "request")} are rejected.`,
  ];
  if (exempt !== null)
    lines.push(
      `  Exempt requests (system:masters) skip the queues: ${time(exempt.p99Seconds)} at p99, ${time(exempt.maxSeconds)} at most.`,
    );
  if (limit !== null && memory > limit)
    lines.push(
      `  But an API server grows to ${plain(formatMemory(memory))} of ${plain(formatMemory(limit))}: it is ended, and all that it answers is refused until it is back, when everybody lists again.`,
    );
  if (undrained > 0)
    lines.push(
      `  It does not end by itself for ${undrained} of ${formatCounted(seeds.length, "seed")}: who waits for a quiet minute waits in vain.`,
    );
  return series === null ? [] : lines;
}

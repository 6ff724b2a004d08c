import { AuditSourceError } from "../../audit/audit-files.ts";
import {
  type AuditProgress,
  type AuditReadSummary,
  type AuditSource,
  readAuditEvents,
} from "../../audit/read-audit-events.ts";
import type { LearnedAgentsFile } from "../../contracts/learned-agents.ts";
import { AgentLearner } from "../../domain/agents/learn/agent-learner.ts";
import type { LearnedAgents } from "../../domain/agents/learn/learned-agents.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { formatAuditProblems, formatLearnedText } from "../output/learned-agents.ts";
import { ProgressLine, progressText } from "../output/progress-line.ts";
import { chooseStyle } from "../output/style.ts";
import type { AgentsLearnFlags } from "../register/agents.ts";

const LEARNED = 0;
const WRONG_USAGE = 2;

/** `headroom agents learn`. Returns the exit code. */
export async function runAgentsLearn(flags: AgentsLearnFlags): Promise<number> {
  const paths = flags.audit ?? [];
  if (paths.length === 0) return refuse("Missing --audit PATH: a file, a folder, or - for standard input.");
  if (paths.filter((path) => path === "-").length > 1)
    return refuse("--audit -: standard input can be read once.");
  const learner = new AgentLearner();
  const summaries: AuditReadSummary[] = [];
  const line = new ProgressLine(process.stderr);
  const onProgress = (progress: AuditProgress) => line.show(() => progressText(progress, line.seconds));
  try {
    for (const path of paths) {
      summaries.push(
        await readAuditEvents(sourceOf(path), (event) => learner.observe(event), {
          maxEventBytes: flags.maxEventBytes,
          onProgress,
        }),
      );
    }
  } catch (error) {
    if (error instanceof AuditSourceError) return refuse(error.message);
    throw error;
  } finally {
    line.clear();
  }
  const log = joinSummaries(summaries);
  const learned = learner.finish(`audit log ${paths.map(nameOf).join(", ")}`);
  for (const text of formatAuditProblems(log)) process.stderr.write(`${text}\n`);
  if (log.events === 0) {
    return refuse(`${paths.map(nameOf).join(", ")}: expected audit events (audit.k8s.io/v1), found none.`);
  }
  const text =
    flags.output === "json"
      ? JSON.stringify(toFile(learned, log), null, 2)
      : formatLearnedText(learned, log, {
          top: flags.top === 0 ? Number.POSITIVE_INFINITY : flags.top,
          style: chooseStyle(process.stdout, process.env),
        }).join("\n");
  process.stdout.write(`${text}\n`);
  return LEARNED;
}

const nameOf = (path: string): string => (path === "-" ? "standard input" : path);

const sourceOf = (path: string): AuditSource =>
  path === "-" ? { chunks: process.stdin, name: nameOf(path) } : { path };

function refuse(sentence: string): number {
  process.stderr.write(`${sentence}\n`);
  return WRONG_USAGE;
}

function joinSummaries(summaries: readonly AuditReadSummary[]): AuditReadSummary {
  const sum = (pick: (summary: AuditReadSummary) => number) =>
    summaries.reduce((total, summary) => total + pick(summary), 0);
  const counts = new Map<string, number>();
  for (const { problem, count } of summaries.flatMap(({ problemCounts }) => problemCounts)) {
    counts.set(problem, (counts.get(problem) ?? 0) + count);
  }
  return {
    files: summaries.flatMap(({ files }) => files),
    skippedFiles: summaries.flatMap(({ skippedFiles }) => skippedFiles),
    bytes: sum(({ bytes }) => bytes),
    events: sum(({ events }) => events),
    duplicates: sum(({ duplicates }) => duplicates),
    behindOtherText: sum(({ behindOtherText }) => behindOtherText),
    cutOffFiles: sum(({ cutOffFiles }) => cutOffFiles),
    problems: summaries.flatMap(({ problems }) => problems),
    problemCounts: [...counts]
      .map(([problem, count]) => ({ problem, count }))
      .sort((a, b) => b.count - a.count),
  };
}

function toFile(learned: LearnedAgents, log: AuditReadSummary): LearnedAgentsFile {
  const { firstAt, lastAt, requests, otherEvents, beyond, agents } = learned;
  const { files, skippedFiles, problems, problemCounts } = log;
  return {
    schemaVersion: 1,
    tool: { name: "headroom", version: HEADROOM_VERSION },
    firstAt,
    lastAt,
    log: {
      ...log,
      files: [...files],
      skippedFiles: [...skippedFiles],
      problems: [...problems],
      problemCounts: [...problemCounts],
    },
    requests,
    otherEvents,
    beyond,
    agents: copyOf(agents),
  };
}

/** What is read-only here is not so in the contract's types; the values are the same. */
const copyOf = (agents: LearnedAgents["agents"]): LearnedAgentsFile["agents"] =>
  structuredClone(agents) as LearnedAgentsFile["agents"];

import type { AuditReadSummary } from "../../audit/read-audit-events.ts";
import { describeInformer } from "../../domain/agents/informer-text.ts";
import type {
  AgentObservation,
  InformerObservation,
  LearnedAgent,
  LearnedAgents,
  LearnedInformer,
} from "../../domain/agents/learn/learned-agents.ts";
import { formatCounted, formatNumber } from "../../domain/rollout/figure.ts";
import { formatBytes } from "../../format/bytes.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatFull } from "../../format/instant.ts";
import { plain } from "./price.ts";
import { printable, type Style } from "./style.ts";

export interface LearnedTextOptions {
  /** Agents shown. */
  readonly top: number;
  readonly style: Style;
}

/** What was learned, in lines for people: what the log is, then each agent with what it reads, those who list most first. */
export function formatLearnedText(
  learned: LearnedAgents,
  log: AuditReadSummary,
  { top, style }: LearnedTextOptions,
): readonly string[] {
  const shown = learned.agents.slice(0, top);
  const rest = learned.agents.length - shown.length;
  return [
    ...formatLog(learned, log, style),
    ...shown.flatMap((agent) => ["", ...formatAgent(agent, style)]),
    ...(rest > 0
      ? [
          "",
          style.dim(`${formatCounted(rest, "more agent")}: --top 0 shows all, --output json has everything.`),
        ]
      : []),
  ];
}

function formatLog(learned: LearnedAgents, log: AuditReadSummary, style: Style): readonly string[] {
  const { agents, requests, firstAt, lastAt, beyond } = learned;
  const files = log.files.length === 1 ? "" : ` in ${formatNumber(log.files.length)} files`;
  const lines = [
    `${style.bold(formatCounted(requests, "request"))} of ${formatCounted(agents.length, "agent")}, out of ${formatCounted(log.events, "event")}${files} (${plain(formatBytes(log.bytes))})`,
  ];
  if (firstAt === null || lastAt === null) lines.push("  The events have no times: how often is not known.");
  else {
    const seconds = (lastAt - firstAt) / 1000;
    const rate = seconds >= 1 ? `, ${formatRate(requests / seconds)}` : "";
    lines.push(`  ${formatFull(firstAt, "UTC")} to ${formatFull(lastAt, "UTC")} (${time(seconds)})${rate}`);
  }
  if (log.duplicates > 0)
    lines.push(`  ${formatCounted(log.duplicates, "event")} that had come before left out.`);
  if (beyond.agentRequests + beyond.readRequests > 0) {
    lines.push(
      style.yellow(
        `  ${formatNumber(beyond.agentRequests)} requests of further agents and ${formatNumber(beyond.readRequests)} for further things were counted, but not learned from: more than can be told apart.`,
      ),
    );
  }
  return lines;
}

function formatAgent(agent: LearnedAgent, style: Style): readonly string[] {
  const { observed, informers, notes } = agent;
  const lines = [`${style.bold(printable(agent.id))}  ${printable(describeAgent(agent))}`];
  for (const informer of informers) lines.push(...formatInformer(informer, style));
  for (const { what, requestsPerSecond, at, seconds } of observed.loops) {
    const long = seconds > 1 ? `, in ${formatCounted(seconds, "second")} of the log` : "";
    lines.push(
      style.red(
        `  loop: ${printable(what)} ${formatNumber(requestsPerSecond)} times a second by one copy at ${formatFull(at, "UTC")}${long}`,
      ),
    );
  }
  if (observed.throttled > 0) {
    const peak =
      observed.throttledPeak === null
        ? ""
        : `, ${formatNumber(observed.throttledPeak.requestsPerSecond)} in one second at most`;
    lines.push(
      style.red(
        `  refused with 429: ${formatNumber(observed.throttled)} of ${formatCounted(observed.requests, "request")}${peak}`,
      ),
    );
  }
  lines.push(...formatOthers("writes", observed.writes), ...formatOthers("also", observed.others));
  return [...lines, ...notes.map((note) => style.dim(`  ${printable(note)}`))];
}

function describeAgent({ id, userName, version, observed }: LearnedAgent): string {
  const { family, make, requests, requestsPerSecond } = observed;
  return [
    ...(userName !== null && id.includes(userName) ? [] : [userName ?? "no user"]),
    `${family === "" ? "no user agent" : family}${version === null ? "" : ` ${version}`}${make === "not known" || make === family ? "" : ` (${make})`}`,
    describeCopies(observed),
    requestsPerSecond === null ? formatCounted(requests, "request") : formatRate(requestsPerSecond),
  ].join(" · ");
}

const COPY_WORDS: Readonly<Record<AgentObservation["copiesBy"], readonly [string, string]>> = {
  pod: ["pod", "pods"],
  node: ["node", "nodes"],
  address: ["address", "addresses"],
};

function describeCopies({ copies, copiesBy, isCopiesAtLeast }: AgentObservation): string {
  const [one, many] = COPY_WORDS[copiesBy];
  return `${isCopiesAtLeast ? "at least " : ""}${formatCounted(copies, one, many)}`;
}

/** What is read in the words of the annotation, then what was counted. */
function formatInformer(informer: LearnedInformer, style: Style): readonly string[] {
  const { observed, scope } = informer;
  const says = printable(describeInformer(informer));
  const isWide = scope === "cluster" && observed.lists + observed.watchLists > 0;
  const refused = [
    observed.expired > 0 ? `${formatNumber(observed.expired)} × 410` : "",
    observed.throttled > 0 ? `${formatNumber(observed.throttled)} × 429` : "",
  ].filter((text) => text !== "");
  const counted = [...countedText(observed), ...refused].join(", ");
  return [`  ${isWide ? style.yellow(says) : says}  ${style.dim(counted)}`];
}

function countedText(observed: InformerObservation): readonly string[] {
  const { lists, gets, watches, watchLists, pages, copies, isCopiesAtLeast, period, durationSecondsP99 } =
    observed;
  const counts = [
    lists > 0 ? formatCounted(lists, "list") : "",
    gets > 0 ? formatCounted(gets, "get") : "",
    watches > 0 ? formatCounted(watches, "watch", "watches") : "",
    watchLists > 0 ? `${formatNumber(watchLists)} of them with all objects` : "",
    pages > 0 ? `${formatNumber(pages)} further pages` : "",
  ].filter((text) => text !== "");
  const by = `by ${isCopiesAtLeast ? "at least " : ""}${formatCounted(copies, "copy", "copies")}`;
  return [
    `${counts.join(", ")} ${by}`,
    ...(period === null
      ? []
      : [
          `each every ${time(period.medianSeconds)} (${time(period.secondsP10)} to ${time(period.secondsP90)})`,
        ]),
    ...(durationSecondsP99 === null ? [] : [`p99 ${time(durationSecondsP99)}`]),
    ...(observed.names > 1 ? [`${formatNumber(observed.names)} names`] : []),
  ];
}

function formatOthers(head: string, requests: AgentObservation["others"]): readonly string[] {
  if (requests.length === 0) return [];
  const shown = requests
    .slice(0, SHOWN_OTHERS)
    .map(({ what, requests: n }) => `${printable(what)} ${formatNumber(n)}`);
  return [`  ${head}: ${shown.join(", ")}${requests.length > SHOWN_OTHERS ? ", …" : ""}`];
}

const SHOWN_OTHERS = 5;

/** What of the log gave no event, in lines for standard error. */
export function formatAuditProblems(log: AuditReadSummary): readonly string[] {
  const total = log.problemCounts.reduce((sum, { count }) => sum + count, 0);
  const lines = log.problems.map(
    ({ file, line, problem }) => `${printable(file)}${line === null ? "" : `:${line}`}: ${problem}`,
  );
  if (total > log.problems.length) {
    const kinds = log.problemCounts.map(({ problem, count }) => `${formatNumber(count)} × ${problem}`);
    lines.push(`… ${formatNumber(total)} in all: ${kinds.join("; ")}.`);
  }
  for (const { path, reason } of log.skippedFiles) lines.push(`${printable(path)}: left out: ${reason}.`);
  if (log.behindOtherText > 0)
    lines.push(`${formatCounted(log.behindOtherText, "event")} began behind other text on the line.`);
  if (log.cutOffFiles > 0)
    lines.push(
      `${formatCounted(log.cutOffFiles, "file")} ended within an event: written still, or cut by rotation.`,
    );
  return lines;
}

/** With plain blanks: a terminal's reader searches and splits by them. */
const time = (seconds: number): string => plain(formatDuration(seconds));

/** `12.3 requests a second`; rarer ones by the hour. */
function formatRate(perSecond: number): string {
  if (perSecond >= 0.1) return `${formatNumber(perSecond)} requests a second`;
  return `${formatNumber(perSecond * 3600)} requests an hour`;
}

import type { Command } from "commander";
import { Option } from "commander";
import { registerAgentReports } from "./agent-reports.ts";
import { collectTexts, countFlag } from "./flag-values.ts";

/** Flags of `agents learn` as they were given. */
export interface AgentsLearnFlags {
  readonly audit?: readonly string[];
  readonly output: "text" | "json";
  readonly top: number;
  readonly maxEventBytes: number;
}

const LEARN_DESCRIPTION = `Learns from an audit log of the API server who lists and watches what: group, resource, scope, selectors, resourceVersion, limit, how often, from how many copies, and what was refused. It reads events of audit.k8s.io/v1 and v1beta1 at any level and computes; no cluster is asked, nothing is stored, and nothing of bodies is kept.

--audit takes a file, a file packed with gzip, a folder of rotated files (read by the time of their first events, events that two of them have once), or - for standard input; it may be given again. Events stand one a line, in EventLists, or printed over many lines. Lines that are no events are counted and named; a last line that is cut off is no fault. A log of any length is read in bounded memory.

A request counts once, whatever its stages. Copies are told apart by the pods and nodes of their tokens where the log has them, else by address. What an audit log does not show is the form that is asked for (JSON or protobuf) and, mostly, the version of the client library: then it says so.

Text shows those who list most first. JSON has everything: public/schemas/learned-agents.schema.json.

Exit codes: 0 learned, 2 wrong usage, a log that cannot be read, or no event in it.

Examples:
  headroom agents learn --audit /var/log/kubernetes/audit
  zcat audit-*.gz | headroom agents learn --audit - --output json > agents.json`;

/** `headroom agents`. */
export function registerAgents(program: Command, setExitCode: (code: number) => void): void {
  const agents = program.command("agents").summary("who talks to the API server: list, show, score, learn");
  registerAgentReports(agents, setExitCode);
  agents
    .command("learn")
    .summary("from an audit log: who lists and watches what")
    .description(LEARN_DESCRIPTION)
    .option(
      "--audit <path>",
      "audit log: file, folder, - for standard input; may be given again",
      collectTexts,
    )
    .addOption(
      new Option("--output <format>", "form of what is printed").choices(["text", "json"]).default("text"),
    )
    .option("--top <number>", "agents shown as text, 0 for all", countFlag(), 20)
    .option("--max-event-bytes <bytes>", "longer events are passed over", countFlag(1024), 1_048_576)
    .action(async (flags: AgentsLearnFlags) => {
      const { runAgentsLearn } = await import("../commands/agents-learn.ts");
      setExitCode(await runAgentsLearn(flags));
    });
}

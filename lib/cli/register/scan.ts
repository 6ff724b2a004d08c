import { type Command, Option } from "commander";
import { FAIL_ON, type FailOn } from "../output/scan/scan-output.ts";
import { collectTexts } from "./flag-values.ts";

export const SCAN_FORMATS = ["text", "json", "sarif", "junit", "markdown"] as const;
export type ScanFormat = (typeof SCAN_FORMATS)[number];

export interface ScanFlags {
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly output: ScanFormat;
  readonly failOn: FailOn;
  readonly rules?: readonly string[];
  readonly ignore?: readonly string[];
  readonly config?: string;
  readonly quiet: boolean;
}

const DESCRIPTION = `Checks files, or one cluster now, by every rule. No store is needed, and for files no network.

PATH is a file or a folder (recursively; .gz too; hidden folders are skipped); - is standard input. A file is recognised by its content first and its name second: Kubernetes objects as YAML or JSON, with or without status; OpenAPI documents; audit logs; /metrics pages; debug dumps of API Priority and Fairness; ?verbose output of health endpoints; watch streams; facts about a cluster given by hand (cluster.yaml, cluster.json: public/schemas/cluster-facts.schema.json); logs; measured facts. What is none of these is named and skipped; nothing is executed.

With --context one cluster is read as \`headroom collect --once\` reads it; paths beside it add what a read does not give.

Waivers stand in headroom.yaml under policy.waivers (rule, subject, reason, until): what they cover is shown and does not count.

Exit codes: 0 nothing at or above --fail-on; 1 findings at or above it; 2 wrong usage, or an input that cannot be read (the rest is still answered); 3 the cluster could not be read, or only in part. Of several the order is 2, 3, 1.

Examples:
  headroom scan ./manifests cluster.yaml
  helm template my-agent | headroom scan - --output sarif > headroom.sarif
  headroom scan --context prod-us-east --fail-on warning
  headroom scan ./saved --rules 'rollout.*' --ignore 'rollout.unpaced:DaemonSet lab/agent'`;

/** `headroom scan`. */
export function registerScan(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("scan")
    .argument("[paths...]", "files and folders; - is standard input")
    .summary("check files or one cluster now; all findings; no store needed")
    .description(DESCRIPTION)
    .option("--context <name>", "context of a cluster to read now")
    .option("--kubeconfig <path>", "kubeconfig of --context; else as kubectl finds it")
    .addOption(
      new Option("--output <format>", "form of what is printed").choices([...SCAN_FORMATS]).default("text"),
    )
    .addOption(
      new Option("--fail-on <severity>", "from which severity on to end with 1")
        .choices([...FAIL_ON])
        .default("error"),
    )
    .option("--rules <names>", "only these rules, separated by commas; rollout.* is an area", collectTexts)
    .option(
      "--ignore <rule[:subject]>",
      "leave out a rule, or a rule at one subject; may be given again",
      collectTexts,
    )
    .option("--config <path>", "configuration file")
    .option("--quiet", "print only what is not as it should be", false)
    .action(async (paths: readonly string[], flags: ScanFlags) => {
      const { runScan } = await import("../commands/scan.ts");
      setExitCode(await runScan(paths, flags));
    });
}

/** `headroom rules`. */
export function registerRules(program: Command, setExitCode: (code: number) => void): void {
  program
    .command("rules")
    .argument("[name]", "a rule, or an area such as rollout.*")
    .summary("all rules, or one explained")
    .description(
      "Lists the rules by which findings are made, or explains one: what it looks at, why it matters, how to fix it, and where that can be read up.",
    )
    .addOption(
      new Option("--output <format>", "form of what is printed").choices(["text", "json"]).default("text"),
    )
    .action(async (name: string | undefined, flags: { readonly output: "text" | "json" }) => {
      const { runRules } = await import("../commands/rules.ts");
      setExitCode(runRules(name, flags));
    });
}

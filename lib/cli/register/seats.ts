import type { Command } from "commander";
import {
  countFlag,
  misplacedBesideInput,
  parseVersionFlag,
  withAnswerOptions,
  withExamples,
} from "./flag-values.ts";
import { addCostOptions, type CostFlags, parseMethodFlag, parsePathFlag } from "./request-flags.ts";

export interface SeatsFlags extends CostFlags {
  readonly input?: string;
  readonly output: "text" | "json";
  readonly kubernetesVersion?: string;
  readonly method: string;
  readonly path?: string;
  readonly query?: string;
  readonly levelMaxSeats?: number;
  readonly priorityLevel?: string;
  readonly serverConcurrencyLimit: number;
}

const DESCRIPTION = `What a request costs in seats (API Priority and Fairness), why, and for a LIST where it is served and how much the API server goes through for it. By version of the API server, 1.26 to 1.37; older and newer ones are answered by the nearest, and it says so. It computes; no cluster is asked.

With --input: fields id, v, method, path, query, and as far as they are known gates, etcdProgress, stats, objects, size, plMax (LIST and WATCH) or watchers, plMax (create, update, patch, delete). Absent fields mean the default of the version. Answers have requestInfo, initialSeats, finalSeats, additionalLatencyMs and an explanation.

Exit codes: 0 answered, 2 wrong usage or an input that cannot be read.`;

/** `headroom seats`. */
export function registerSeats(program: Command, setExitCode: (code: number) => void): void {
  const command = program
    .command("seats")
    .summary("price one request, or a stream of them")
    .description(DESCRIPTION)
    .option(
      "--kubernetes-version <version>",
      "of the API server, such as 1.36 or v1.34.2-gke.100",
      parseVersionFlag,
    )
    .option("--method <method>", "HTTP method", parseMethodFlag, "GET")
    .option("--path <path>", "path of the request, with or without its query", parsePathFlag)
    .option("--query <query>", "query of the request, as it is sent");
  addCostOptions(command)
    .option("--level-max-seats <number>", "most seats of one request at its priority level", countFlag())
    .option("--priority-level <name>", "or that of a default level of the version")
    .option(
      "--server-concurrency-limit <seats>",
      "with --priority-level: seats of the server",
      countFlag(1),
      600,
    );
  withExamples(command, [
    "headroom seats --kubernetes-version 1.36 --path /api/v1/pods --query limit=500 --objects 20000 --object-bytes 4200",
    "headroom seats --kubernetes-version 1.30 --path '/api/v1/pods?resourceVersion=0' --objects 20000 --priority-level workload-low",
    "headroom seats --kubernetes-version 1.36 --method PATCH --path /api/v1/nodes/n1/status --watchers 120",
    `echo '{"id":1,"v":"1.36","method":"GET","path":"/api/v1/pods","query":"limit=500","objects":20000,"size":4200}' | headroom seats --input -`,
  ]);
  withAnswerOptions(command, "seats-list", "seats-watch", "seats-mutating").action(
    async (flags: SeatsFlags, self: Command) => setExitCode(await run(flags, self)),
  );
}

async function run(flags: SeatsFlags, command: Command): Promise<number> {
  if (flags.input !== undefined) {
    const misplaced = misplacedBesideInput(command);
    if (misplaced !== null) {
      process.stderr.write(`${misplaced}\n`);
      return 2;
    }
    const [{ answerInput }, { answerSeatsLine }] = await Promise.all([
      import("../lines/answer-input.ts"),
      import("../lines/seats-line.ts"),
    ]);
    return answerInput(flags.input, { answer: answerSeatsLine });
  }
  const { runSeats } = await import("../commands/seats.ts");
  return runSeats(flags);
}

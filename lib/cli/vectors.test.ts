import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { judgeStep, type RecordedStep } from "../vectors/judge-daemonset.ts";
import { readVectors } from "../vectors/read-vectors.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

type Fields = Readonly<Record<string, unknown>>;
interface Vector extends Fields {
  readonly id: string;
  readonly v?: string;
  readonly versions?: readonly string[];
}

/** The command line as people run it: lines in, lines out, one process. */
async function ask(command: readonly string[], lines: readonly Fields[]): Promise<readonly Fields[]> {
  const child = spawn(process.execPath, [MAIN, ...command, "--input", "-"], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const out: Buffer[] = [];
  let err = "";
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  expect([code, err]).toEqual([0, ""]);
  const answers = Buffer.concat(out).toString("utf8").split("\n").filter(Boolean);
  return answers.map((line) => JSON.parse(line) as Fields);
}

interface Question {
  readonly vector: Vector;
  readonly line: Fields;
  readonly outputs: readonly string[];
}

/** One line per version that a vector holds for: `id`, `v` and its inputs, nothing else. */
function questionsOf(file: string): readonly Question[] {
  const { inputs, outputs, vectors } = readVectors<Vector>(file);
  return vectors.flatMap((vector) =>
    (vector.versions ?? [vector.v]).map((v, index) => ({
      vector,
      outputs,
      line: {
        id: `${vector.id}/${index}`,
        ...(v === undefined ? {} : { v }),
        ...Object.fromEntries(
          inputs.filter((name) => vector[name] !== undefined).map((name) => [name, vector[name]]),
        ),
      },
    })),
  );
}

/** Half of the twelfth significant digit, and a little for where upstream rounded at just a half. */
const HALF_DIGIT = 0.501e-11;

/** Equal, numbers with decimals at 12 significant digits: what the recorded sets with such numbers are compared by. */
function agrees(answer: unknown, recorded: unknown): boolean {
  if (answer === recorded) return true;
  // Whole numbers are exact, unless what was recorded is one only because it was rounded.
  if (typeof answer === "number" && typeof recorded === "number" && !Number.isInteger(answer)) {
    const unit = 10 ** Math.floor(Math.log10(Math.abs(recorded)));
    return Math.abs(answer - recorded) <= HALF_DIGIT * unit;
  }
  if (typeof answer !== "object" || typeof recorded !== "object" || answer === null || recorded === null) {
    return false;
  }
  const keys = Object.keys(recorded);
  return (
    Array.isArray(answer) === Array.isArray(recorded) &&
    keys.length === Object.keys(answer).length &&
    keys.every((key) => agrees((answer as Fields)[key], (recorded as Fields)[key]))
  );
}

/** Asks everything in one process and gathers what differs; empty where every answer agrees, in order. */
async function differences(
  command: readonly string[],
  questions: readonly Question[],
): Promise<readonly string[]> {
  const answers = await ask(
    command,
    questions.map(({ line }) => line),
  );
  expect(answers.map(({ id }) => id)).toEqual(questions.map(({ line }) => line.id));
  return questions.flatMap(({ vector, line, outputs }, index) =>
    outputs
      .filter((name) => vector[name] !== undefined)
      .filter((name) => !agrees(answers[index]?.[name], vector[name]))
      .map((name) => `${line.id}: ${name} is ${JSON.stringify(answers[index]?.[name])?.slice(0, 300)}`),
  );
}

describe("every recorded vector as a line of input", () => {
  test("seats: seats-list, seats-watch, seats-mutating", async () => {
    const questions = ["seats-list.json.gz", "seats-watch.json", "seats-mutating.json"].flatMap(questionsOf);
    expect(await differences(["seats"], questions)).toEqual([]);
    expect(questions).toHaveLength(5399 + 1941 + 1962);
  });

  test("fairness match: flow-match", async () => {
    const questions = questionsOf("flow-match.json.gz");
    expect(await differences(["fairness", "match"], questions)).toEqual([]);
    expect(new Set(questions.map(({ vector }) => vector.id)).size).toBe(430);
  });

  test("fairness limits: max-seats and borrowing", async () => {
    const questions = ["max-seats.json", "borrowing.json.gz"].flatMap(questionsOf);
    expect(await differences(["fairness", "limits"], questions)).toEqual([]);
    expect(new Set(questions.map(({ vector }) => vector.id)).size).toBe(80 + 302);
  });

  test("fairness replay: queueset", async () => {
    const questions = questionsOf("queueset.json.gz");
    expect(await differences(["fairness", "replay"], questions)).toEqual([]);
    expect(questions).toHaveLength(315);
  });

  test("rollout plan: daemonset-rolling-update, judged as its README says", async () => {
    const questions = questionsOf("daemonset-rolling-update.json");
    const answers = await ask(
      ["rollout", "plan"],
      questions.map(({ line }) => line),
    );
    expect(answers.map(({ id }) => id)).toEqual(questions.map(({ line }) => line.id));
    const wrong = questions.flatMap(({ vector, line }, index) =>
      ["manage", "rollingUpdate"].flatMap((name) =>
        judgeStep(
          `${line.id} ${name}`,
          answers[index]?.[name] as Parameters<typeof judgeStep>[1],
          vector[name] as RecordedStep,
        ),
      ),
    );
    expect(wrong).toEqual([]);
    expect(new Set(questions.map(({ vector }) => vector.id)).size).toBe(292);
  });
});

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Below a file, where nobody can make one, root neither. */
const NO_STORE = "file:/dev/null/headroom.db";

export interface HeadroomRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line in a process of its own, with what it reads on standard input. */
export async function headroom(
  args: readonly string[],
  input: string | Uint8Array = "",
  cwd: string | undefined = undefined,
): Promise<HeadroomRun> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: "test",
      NO_COLOR: "1",
      // What somebody collected in this checkout is not the tests' to read. The variable goes before a configuration file.
      ...(args.includes("--config") ? {} : { HEADROOM_STORE_URL: NO_STORE }),
    },
    stdio: ["pipe", "pipe", "pipe"],
    cwd,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => err.push(chunk));
  // A command that reads nothing may be gone before its input is.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { code, out: Buffer.concat(out).toString("utf8"), err: Buffer.concat(err).toString("utf8") };
}

/** Lines of input from objects; text stands for itself. */
export const linesOf = (lines: readonly (object | string)[]): string =>
  lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

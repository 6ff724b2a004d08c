// Runs a TypeScript file of the repository on a Node that can: `node tools/run.mjs FILE ARGUMENTS`.
import path from "node:path";
import { goOver } from "./lib/go-over.mjs";
import { prepare, ROOT } from "./lib/prepare.mjs";

const [file, ...rest] = process.argv.slice(2);
if (file === undefined) throw new Error("node tools/run.mjs FILE ARGUMENTS");
try {
  const { node, env } = prepare({ build: false });
  goOver({ node, args: [path.join(ROOT, file), ...rest], env });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

// Runs a TypeScript file of the repository on a Node that can: `node tools/run.mjs FILE ARGUMENTS`.
import path from "node:path";
import { ROOT } from "./lib/prepare.mjs";
import { prepareAndGoOver } from "./lib/prepare-and-go-over.mjs";

const [file, ...rest] = process.argv.slice(2);
if (file === undefined) throw new Error("node tools/run.mjs FILE ARGUMENTS");
prepareAndGoOver({ build: false }, ({ node, env }) => ({
  node,
  args: [path.join(ROOT, file), ...rest],
  env,
}));

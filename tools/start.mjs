// `npm start`: prepares what is missing, then goes over to `headroom serve` on the right Node.
import path from "node:path";
import { goOver } from "./lib/go-over.mjs";
import { prepare, ROOT } from "./lib/prepare.mjs";

try {
  const { node, env } = prepare({ build: true });
  const args = [path.join(ROOT, "dist", "cli.mjs"), "serve", ...process.argv.slice(2)];
  goOver({ node, args, env, isServer: true });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

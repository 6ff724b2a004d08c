// `npm run bench`: prepares what is missing, as npm start does, then goes over to the benches on the right Node.
import path from "node:path";
import { goOver } from "./lib/go-over.mjs";
import { prepare, ROOT } from "./lib/prepare.mjs";

try {
  const { node, env } = prepare({ build: true });
  goOver({ node, args: [path.join(ROOT, "tools", "bench", "main.ts"), ...process.argv.slice(2)], env });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

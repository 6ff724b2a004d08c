// `npm run bench`: prepares what is missing, as npm start does, then goes over to the benches on the right Node.
import path from "node:path";
import { ROOT } from "./lib/prepare.mjs";
import { prepareAndGoOver } from "./lib/prepare-and-go-over.mjs";

prepareAndGoOver({ build: true }, ({ node, env }) => ({
  node,
  args: [path.join(ROOT, "tools", "bench", "main.ts"), ...process.argv.slice(2)],
  env,
}));

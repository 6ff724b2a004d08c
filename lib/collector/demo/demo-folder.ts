import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** Folders of this process: it may run several fleets, as tests do. */
const own = new Set<string>();

/**
 * A new folder for the kubeconfigs of the demo fleet, readable by this user only. Removes those of processes that were
 * killed before they could do so themselves.
 */
export async function makeDemoFolder(root: string = tmpdir()): Promise<string> {
  await removeStale(root);
  const folder = await mkdtemp(join(root, `${prefix()}${process.pid}-`));
  own.add(folder);
  return folder;
}

export async function removeDemoFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  own.delete(folder);
}

/** With the host's name, since machines and containers that share a folder do not share process numbers. */
function prefix(): string {
  return `headroom-demo-${createHash("sha256").update(hostname()).digest("hex").slice(0, 8)}-`;
}

async function removeStale(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const pid = name.startsWith(prefix()) ? /^(\d+)-\w+$/.exec(name.slice(prefix().length))?.[1] : undefined;
    const folder = join(root, name);
    if (pid === undefined || own.has(folder) || isOtherAlive(Number(pid))) continue;
    // Another user's cannot be removed, and is not ours to mention.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A restarted container gives the same number again: what bears ours and is not ours is of a process before. */
function isOtherAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

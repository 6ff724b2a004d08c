import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is removed when the test ends, and a way to write files into it. */
export async function temporaryFolder(): Promise<{
  readonly path: string;
  readonly write: (name: string, text: string) => Promise<string>;
  /** A program for `node`'s shell-free siblings: a POSIX shell script. */
  readonly writeScript: (name: string, lines: readonly string[]) => Promise<string>;
}> {
  const path = await mkdtemp(join(tmpdir(), "headroom-kube-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  const write = async (name: string, text: string) => {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  return {
    path,
    write,
    writeScript: async (name, lines) => {
      const file = await write(name, `#!/bin/sh\n${lines.join("\n")}\n`);
      await chmod(file, 0o755);
      return file;
    },
  };
}

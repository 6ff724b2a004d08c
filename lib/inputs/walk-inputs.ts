import type { Dirent } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { InputProblem, SkippedInput } from "./input-problem.ts";

/** A file to be read, under the name by which people find it. */
export interface FoundFile {
  readonly name: string;
  /** True where the path itself was given, false where it was found in a folder. */
  readonly isNamed: boolean;
}

export interface FoundInputs {
  /** In the order of the paths; inside a folder by name. Each file once, however many paths lead to it. */
  readonly files: readonly FoundFile[];
  readonly skipped: readonly SkippedInput[];
  readonly problems: readonly InputProblem[];
}

/** Standard input. */
export const STANDARD_INPUT = "-";

/**
 * Files under paths, folders recursively. Hidden folders are named and skipped; so is a file or folder that was met
 * already. A folder that links back to one it lies in is a problem; the rest of it is read. Never throws for what is on
 * the disk.
 */
export async function walkInputs(paths: readonly string[]): Promise<FoundInputs> {
  const walk = new Walk();
  for (const each of paths) await walk.visitNamed(each);
  return walk;
}

class Walk implements FoundInputs {
  readonly files: FoundFile[] = [];
  readonly skipped: SkippedInput[] = [];
  readonly problems: InputProblem[] = [];
  /** Real paths met, with the name under which they were. */
  readonly #met = new Map<string, string>();

  async visitNamed(name: string): Promise<void> {
    if (name === STANDARD_INPUT) {
      if (this.#isNew(STANDARD_INPUT, name)) this.files.push({ name, isNamed: true });
      return;
    }
    await this.#visit(name, [], true);
  }

  /** `above`: real paths of the folders that this one lies in, by links or not. */
  async #visit(name: string, above: readonly string[], isNamed: boolean): Promise<void> {
    let real: string;
    let isFolder: boolean;
    let isFile: boolean;
    try {
      const stats = await stat(name);
      isFolder = stats.isDirectory();
      isFile = stats.isFile();
      real = await realpath(name);
    } catch (error) {
      await this.#refuse(name, error);
      return;
    }
    if (isFolder) {
      if (above.includes(real)) {
        this.#problem(name, "expected a folder that does not lead back to one it lies in; not followed");
      } else await this.#visitFolder(name, real, above);
    } else if (!isFile && !isNamed) {
      this.skipped.push({ file: name, reason: "neither a file nor a folder" });
    } else {
      // Pipes and devices are read where somebody names them: `<(kubectl get …)` is one.
      this.#addFile(name, isFile ? real : name, isNamed);
    }
  }

  async #visitFolder(name: string, real: string, above: readonly string[]): Promise<void> {
    if (!this.#isNew(real, name)) return;
    let entries: readonly Dirent[];
    try {
      entries = await readdir(name, { withFileTypes: true });
    } catch (error) {
      await this.#refuse(name, error);
      return;
    }
    const inside = [...above, real];
    for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const child = path.join(name, entry.name);
      if (entry.name.startsWith(".") && (entry.isDirectory() || (await isFolderItself(child)))) {
        this.skipped.push({ file: child, reason: "a hidden folder" });
      } else if (entry.isFile()) {
        // What is no link lies where its folder does: thousands of files need not be asked one by one.
        this.#addFile(child, path.join(real, entry.name), false);
      } else await this.#visit(child, inside, false);
    }
  }

  #addFile(name: string, real: string, isNamed: boolean): void {
    if (this.#isNew(real, name)) this.files.push({ name, isNamed });
  }

  #isNew(real: string, name: string): boolean {
    const before = this.#met.get(real);
    if (before === undefined) {
      this.#met.set(real, name);
      return true;
    }
    if (before !== name) this.skipped.push({ file: name, reason: `the same as ${before}` });
    return false;
  }

  async #refuse(name: string, error: unknown): Promise<void> {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    const isDangling = code === "ENOENT" && (await isThere(name));
    const messages: Readonly<Record<string, string>> = {
      ENOENT: isDangling
        ? "expected a link that leads to a file"
        : "expected a file or folder; there is none",
      EACCES: "expected a file or folder that may be read",
      EPERM: "expected a file or folder that may be read",
      ELOOP: "expected a link that leads to a file, not back to itself",
      ENAMETOOLONG: "expected a shorter path",
      ENOTDIR: "expected a file or folder; a part of the path is no folder",
    };
    this.#problem(name, messages[code] ?? `expected a file or folder that can be read (${code})`);
  }

  #problem(file: string, message: string): void {
    this.problems.push({ file, line: null, column: null, message });
  }
}

async function isFolderItself(name: string): Promise<boolean> {
  try {
    return (await stat(name)).isDirectory();
  } catch {
    // Said when it is visited.
    return false;
  }
}

async function isThere(name: string): Promise<boolean> {
  try {
    return (await lstat(name)).isSymbolicLink();
  } catch {
    return false;
  }
}

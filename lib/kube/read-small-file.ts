import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** A file that is there and is not what was asked for: no regular file, or longer than it may be. */
export class UnsuitableFileError extends Error {
  override readonly name = "UnsuitableFileError";
  readonly code: "EISDIR" | "not a regular file" | "too long";

  constructor(code: UnsuitableFileError["code"]) {
    super(code);
    this.code = code;
  }
}

/**
 * Text of a regular file of at most `maxBytes`. A kubeconfig, and what it names, may be any path of this machine: a
 * pipe nobody writes to would hold a thread of the process for ever, and a device never ends.
 * @throws UnsuitableFileError, or the system's error with its code
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<string> {
  // Without O_NONBLOCK opening a pipe waits for somebody to write to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new UnsuitableFileError(stats.isDirectory() ? "EISDIR" : "not a regular file");
    if (stats.size > maxBytes) throw new UnsuitableFileError("too long");
    return await readAtMost(file, maxBytes);
  } finally {
    await file.close();
  }
}

/** A file may grow while it is read, and those of /proc say no size. */
async function readAtMost(file: Awaited<ReturnType<typeof open>>, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file.createReadStream({ autoClose: false })) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.byteLength;
    if (bytes > maxBytes) throw new UnsuitableFileError("too long");
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

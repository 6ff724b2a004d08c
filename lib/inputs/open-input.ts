import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { createGunzip } from "node:zlib";
import { InputError } from "./input-problem.ts";
import { STANDARD_INPUT } from "./walk-inputs.ts";

/** Bytes by which an input is recognised. */
const HEAD_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** An input that is open, unpacked where it was packed. Read it once, or close it. */
export interface OpenedInput {
  readonly name: string;
  /** On the disk, packed; `null` where that is not known before the end. */
  readonly storedBytes: number | null;
  readonly isPacked: boolean;
  /** The first bytes, at most 64 KiB. */
  readonly head: Buffer;
  /** True where the head is all there is. */
  readonly isHeadAll: boolean;
  /** All of it, the head included. @throws InputError where it cannot be read to its end */
  chunks(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** @throws InputError */
export async function openInput(name: string): Promise<OpenedInput> {
  return name === STANDARD_INPUT ? openStream(name, process.stdin, null) : openFile(name);
}

/**
 * The head of a file is read at once: asking the thread pool for each of thousands of small files takes longer than
 * reading them.
 */
async function openFile(name: string): Promise<OpenedInput> {
  let fd: number | null = null;
  try {
    fd = openSync(name, constants.O_RDONLY);
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw new InputError("expected a file, this is a folder");
    if (!stats.isFile()) {
      const pipe = createReadStream(name, { fd, highWaterMark: CHUNK_BYTES });
      fd = null;
      return await openStream(name, pipe, null);
    }
    const head = Buffer.allocUnsafe(Math.min(HEAD_BYTES, stats.size + 1));
    const filled = head.subarray(0, readSync(fd, head, 0, head.length, 0));
    if (isGzip(filled)) {
      const packed = createReadStream(name, { fd, start: 0, highWaterMark: CHUNK_BYTES });
      fd = null;
      return await openStream(name, packed, stats.size);
    }
    const isHeadAll = filled.length >= stats.size && filled.length < HEAD_BYTES;
    return openedFile(name, stats.size, filled, isHeadAll);
  } catch (error) {
    throw asInputError(error);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function openedFile(name: string, storedBytes: number, head: Buffer, isHeadAll: boolean): OpenedInput {
  return {
    name,
    storedBytes,
    isPacked: false,
    head,
    isHeadAll,
    chunks: async function* () {
      yield head;
      if (!isHeadAll)
        yield* readable(createReadStream(name, { start: head.length, highWaterMark: CHUNK_BYTES }));
    },
    // Its file is closed already, or by the stream that reads on.
    close: async () => undefined,
  };
}

/** An input that can be read once only: what is read for its head is kept for its chunks. */
async function openStream(
  name: string,
  stream: NodeJS.ReadableStream & { destroy?: (error?: Error) => unknown },
  storedBytes: number | null,
): Promise<OpenedInput> {
  const raw = readable(stream);
  const first = await take(raw, 2);
  const isPacked = isGzip(first.bytes);
  const unpacked = isPacked ? gunzip(first, raw) : chain(first.bytes, raw);
  const head = await take(unpacked, HEAD_BYTES);
  return {
    name,
    storedBytes,
    isPacked,
    head: head.bytes.subarray(0, HEAD_BYTES),
    isHeadAll: head.isEnd && head.bytes.length <= HEAD_BYTES,
    chunks: () => chain(head.bytes, unpacked),
    close: async () => {
      await unpacked.return(undefined);
      stream.destroy?.();
    },
  };
}

interface Taken {
  readonly bytes: Buffer;
  readonly isEnd: boolean;
}

/** At least `wanted` bytes, or all there are. */
async function take(chunks: AsyncGenerator<Buffer>, wanted: number): Promise<Taken> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  while (bytes < wanted) {
    const next = await chunks.next();
    if (next.done === true) return { bytes: Buffer.concat(pieces), isEnd: true };
    pieces.push(next.value);
    bytes += next.value.length;
  }
  return { bytes: Buffer.concat(pieces), isEnd: false };
}

async function* chain(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}

async function* gunzip(first: Taken, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const unpack = createGunzip({ chunkSize: CHUNK_BYTES });
  let failure: unknown = null;
  // Fed beside being read: a full pipe must not wait for itself.
  const feeding = (async () => {
    try {
      for await (const chunk of chain(first.bytes, rest)) {
        if (unpack.destroyed) return;
        if (!unpack.write(chunk))
          await new Promise<void>((resolve) => unpack.once("drain", resolve).once("close", resolve));
      }
      unpack.end();
    } catch (error) {
      failure = error;
      unpack.destroy();
    }
  })();
  try {
    for await (const chunk of unpack) yield chunk as Buffer;
  } catch (error) {
    throw failure instanceof InputError ? failure : asGzipError(error);
  } finally {
    unpack.destroy();
    await feeding;
  }
  if (failure !== null) throw failure;
}

async function* readable(stream: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream)
      yield typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Buffer);
  } catch (error) {
    throw asInputError(error);
  }
}

const isGzip = (bytes: Buffer) => bytes.length >= 2 && bytes[0] === 0x1f && bytes[1] === 0x8b;

function asGzipError(error: unknown): InputError {
  const { code } = error as NodeJS.ErrnoException;
  return new InputError(
    code === "Z_BUF_ERROR"
      ? "expected gzip data to its end; it is cut short"
      : `expected gzip data; it is damaged (${code ?? "unknown error"})`,
  );
}

function asInputError(error: unknown): InputError {
  if (error instanceof InputError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
  const messages: Readonly<Record<string, string>> = {
    ENOENT: "expected a file; it is gone",
    EACCES: "expected a file that may be read",
    EPERM: "expected a file that may be read",
    EISDIR: "expected a file, this is a folder",
  };
  return new InputError(messages[code] ?? `expected a file that can be read to its end (${code})`);
}

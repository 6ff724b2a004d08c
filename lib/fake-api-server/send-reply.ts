import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { constants, createGzip, gzipSync } from "node:zlib";
import type { Fault } from "./faults.ts";
import { GZIP_THRESHOLD_BYTES, type PrecompressedPart, type Reply } from "./reply.ts";

const LEVEL = { level: constants.Z_BEST_SPEED };
/** Bodies up to this size are held and compressed in one go: cheaper in time and memory than a stream. */
const WHOLE_BYTES = 2 * 1024 * 1024;

export interface SendOptions {
  readonly reply: Reply;
  readonly acceptsGzip: boolean;
  readonly fault: Fault | null;
  readonly signal: AbortSignal;
  /** Told of body bytes as they are handed to the socket. */
  onBytes(bytes: number): void;
}

/**
 * Sends a reply, compressed where client and size ask for it, or spoilt as the fault says. Resolves when the
 * response is over; a client that goes away ends it quietly.
 */
export async function sendReply(response: ServerResponse, options: SendOptions): Promise<void> {
  const { reply, fault } = options;
  response.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  if (fault === null && isStream(reply.body)) return sendStream(response, options, reply.body);
  const whole = await encodeWhole(options);
  if (whole.isGzip) response.setHeader("content-encoding", "gzip");
  switch (fault?.kind) {
    case "truncate": {
      response.setHeader("content-length", Math.max(whole.bytes.length, fault.afterBytes + 1));
      const part = whole.bytes.subarray(0, fault.afterBytes);
      await write(response, part, options);
      response.socket?.end();
      return;
    }
    case "broken-gzip": {
      const zipped = whole.isGzip ? whole.bytes : gzipSync(whole.bytes, LEVEL);
      const broken = Buffer.from(zipped.subarray(0, Math.max(20, Math.floor(zipped.length / 2))));
      broken.fill(0xff, broken.length - 8);
      response.setHeader("content-encoding", "gzip");
      return end(response, broken, options);
    }
    case "drip":
      return drip(response, whole.bytes, fault, options);
    case "endless":
      return endless(response, whole.bytes, options);
    default:
      return end(response, whole.bytes, options);
  }
}

const isStream = (body: Reply["body"]): body is AsyncIterable<string | Buffer> =>
  typeof body === "object" && Symbol.asyncIterator in body;

async function end(response: ServerResponse, bytes: Buffer, options: SendOptions): Promise<void> {
  const hasBody = response.statusCode !== 304 && response.statusCode !== 204;
  if (hasBody) response.setHeader("content-length", bytes.length);
  options.onBytes(hasBody ? bytes.length : 0);
  response.end(hasBody ? bytes : undefined);
  if (!response.writableFinished) await finished(response);
}

async function encodeWhole(options: SendOptions): Promise<Encoded> {
  const { reply, acceptsGzip } = options;
  const { body } = reply;
  if (isStream(body)) return compressed(await collect(body), options);
  if (typeof body === "string" || Buffer.isBuffer(body)) return compressed(Buffer.from(body), options);
  return encodeParts(body, reply, acceptsGzip);
}

interface Encoded {
  readonly bytes: Buffer;
  readonly isGzip: boolean;
}

function compressed(plain: Buffer, { reply, acceptsGzip }: SendOptions): Encoded {
  const { compression } = reply;
  const isLong =
    compression === "always" || (compression === "over-threshold" && plain.length > GZIP_THRESHOLD_BYTES);
  if (!acceptsGzip || !isLong || plain.length === 0) return { bytes: plain, isGzip: false };
  return { bytes: gzipSync(plain, LEVEL), isGzip: true };
}

/** Parts compressed apart and joined: a gzip body may have several members. */
function encodeParts(
  parts: readonly (string | PrecompressedPart)[],
  { compression }: Reply,
  acceptsGzip: boolean,
): Encoded {
  const isGzip = acceptsGzip && compression === "always";
  const encoded: Buffer[] = [];
  for (const part of parts) {
    if (typeof part !== "string") encoded.push(isGzip ? part.gzipped() : part.plain);
    else encoded.push(isGzip ? gzipSync(part, LEVEL) : Buffer.from(part));
  }
  return { bytes: encoded.length === 1 ? (encoded[0] ?? Buffer.alloc(0)) : Buffer.concat(encoded), isGzip };
}

async function collect(body: AsyncIterable<string | Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** Sends a body as it is made, once it has turned out to be longer than what is held. */
async function sendStream(
  response: ServerResponse,
  options: SendOptions,
  body: AsyncIterable<string | Buffer>,
): Promise<void> {
  const { reply, acceptsGzip, signal, onBytes } = options;
  const iterator = body[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  let heldBytes = 0;
  let isDone = false;
  while (reply.isLongRunning !== true && heldBytes <= WHOLE_BYTES) {
    const step = await iterator.next();
    if (step.done === true) {
      isDone = true;
      break;
    }
    const part = Buffer.from(step.value);
    held.push(part);
    heldBytes += part.length;
  }
  if (isDone) {
    const whole = compressed(Buffer.concat(held, heldBytes), options);
    if (whole.isGzip) response.setHeader("content-encoding", "gzip");
    return end(response, whole.bytes, options);
  }
  const isGzip = acceptsGzip && reply.compression !== "never" && heldBytes > GZIP_THRESHOLD_BYTES;
  if (isGzip) response.setHeader("content-encoding", "gzip");
  response.flushHeaders();
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  const source = Readable.from(rest(held, iterator), { objectMode: false });
  try {
    if (isGzip) await pipeline(source, createGzip(LEVEL), counter, response, { signal });
    else await pipeline(source, counter, response, { signal });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

async function* rest(held: readonly Buffer[], iterator: AsyncIterator<string | Buffer>) {
  yield* held;
  try {
    for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
      yield Buffer.from(step.value);
    }
  } finally {
    await iterator.return?.();
  }
}

async function drip(
  response: ServerResponse,
  bytes: Buffer,
  { chunkBytes, pauseMs }: Extract<Fault, { kind: "drip" }>,
  options: SendOptions,
): Promise<void> {
  response.setHeader("content-length", bytes.length);
  for (let start = 0; start < bytes.length && !options.signal.aborted; start += chunkBytes) {
    await write(response, bytes.subarray(start, start + chunkBytes), options);
    await delay(pauseMs, undefined, { signal: options.signal }).catch(ignoreAbort);
  }
  response.end();
}

const ENDLESS_CHUNK = Buffer.alloc(64 * 1024, "# and on\n");

async function endless(response: ServerResponse, bytes: Buffer, options: SendOptions): Promise<void> {
  response.removeHeader("content-encoding");
  await write(response, bytes, options);
  while (!options.signal.aborted) {
    await write(response, ENDLESS_CHUNK, options);
    // Lets other connections have their turn between chunks.
    await delay(1, undefined, { signal: options.signal }).catch(ignoreAbort);
  }
}

async function write(
  response: ServerResponse,
  bytes: Buffer,
  { onBytes, signal }: SendOptions,
): Promise<void> {
  if (signal.aborted) return;
  onBytes(bytes.length);
  if (!response.write(bytes)) await once(response, "drain", { signal }).catch(ignoreAbort);
}

async function finished(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.once("finish", resolve);
  });
}

const GONE = new Set(["ABORT_ERR", "ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"]);

/** The client went away: nothing to report. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && GONE.has(String(error.code));
}

function ignoreAbort(error: unknown): void {
  if (!isGone(error)) throw error;
}

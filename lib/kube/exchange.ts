import type { IncomingHttpHeaders } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Dispatcher } from "undici";
import type { BudgetPermit } from "./budget.ts";
import type { ConnectionId, RequestCost, RequestLimits } from "./client-types.ts";
import type { Connections } from "./dispatcher.ts";
import { StopReadingError } from "./failure.ts";

/** Bytes handed to and taken from the decompressor at once. */
const CHUNK_BYTES = 64 * 1024;

/** One request as it is sent. */
export interface ExchangeInput {
  readonly connections: Connections;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly limits: RequestLimits;
  /** Milliseconds left of the time the caller gives. */
  readonly leftMs: number;
  readonly signal: AbortSignal | undefined;
  readonly permit: BudgetPermit;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * One request and its answer, under all limits: time to the headers, time to the end, bytes on the wire, bytes after
 * decompression, and the budget. Whatever stops it, `close` frees the connection; errors are those of the layer they
 * come from, or `StopReadingError`.
 */
export class Exchange {
  readonly #input: ExchangeInput;
  readonly #stop = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #startedAt: number;
  #headersTimer: NodeJS.Timeout | undefined;
  #response: Dispatcher.ResponseData | null = null;
  #connectionId: ConnectionId | null = null;
  #wireBytes = 0;
  #decodedBytes = 0;
  #endedAt: number | null = null;

  private constructor(input: ExchangeInput) {
    this.#input = input;
    this.#startedAt = input.now();
  }

  /**
   * Sends the request and waits for the headers. The exchange is there even where that fails: its cost counts.
   */
  static start(input: ExchangeInput): { readonly exchange: Exchange; readonly headers: Promise<void> } {
    const exchange = new Exchange(input);
    return { exchange, headers: exchange.#send() };
  }

  get status(): number {
    return this.#response?.statusCode ?? 0;
  }

  get connectionId(): ConnectionId | null {
    return this.#connectionId;
  }

  /** Lower-case names; several values of one name are joined; cookies are left out. */
  get headers(): Record<string, string> {
    const result: Record<string, string> = {};
    for (const [name, value] of Object.entries(this.#response?.headers ?? {})) {
      if (value === undefined || name === "set-cookie") continue;
      result[name] = Array.isArray(value) ? value.join(", ") : value;
    }
    return result;
  }

  get cost(): RequestCost {
    const endedAt = this.#endedAt ?? this.#input.now();
    return {
      requests: 1,
      wireBytes: this.#wireBytes,
      decodedBytes: this.#decodedBytes,
      requestSeconds: Math.max(0, endedAt - this.#startedAt) / 1000,
    };
  }

  async #send(): Promise<void> {
    const { connections, origin, path, headers, limits, leftMs, signal } = this.#input;
    if (signal !== undefined) {
      const onAbort = () => this.#stop.abort(new StopReadingError("aborted", "the read was given up"));
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true, signal: this.#stop.signal });
    }
    const totalMs = Math.min(limits.totalSeconds * 1000, leftMs);
    this.#headersTimer = this.#stopAfter(Math.min(limits.headersSeconds * 1000, totalMs), "no answer");
    this.#stopAfter(totalMs, "the answer did not end");
    // maxRedirections is 0 unless an interceptor is added: redirects are never followed.
    this.#response = await connections.dispatcher.request({
      origin,
      path,
      method: "GET",
      headers,
      signal: this.#stop.signal,
    });
    this.#connectionId = connections.latest();
    clearTimeout(this.#headersTimer);
    this.#charge(headerBytes(this.#response.headers));
    this.#foresee(this.#response.headers["content-length"]);
  }

  /** The body, decompressed, chunk by chunk. May be read once. */
  async *body(): AsyncGenerator<Buffer, void, undefined> {
    const response = this.#response;
    if (response === null) return;
    const encoding = String(response.headers["content-encoding"] ?? "identity").toLowerCase();
    if (encoding !== "identity" && encoding !== "gzip") {
      throw new StopReadingError(
        "bad-body",
        `the body has the encoding ${encoding.slice(0, 40)}, which was not asked for`,
      );
    }
    const wire = this.#countWire(response.body);
    const chunks = encoding === "gzip" ? gunzip(wire) : wire;
    try {
      for await (const chunk of chunks) {
        this.#decodedBytes += chunk.length;
        if (this.#decodedBytes > this.#input.limits.decodedBytes) {
          throw new StopReadingError(
            "too-large",
            `the body exceeds the limit of ${this.#input.limits.decodedBytes} bytes after decompression`,
          );
        }
        yield chunk;
      }
    } catch (error) {
      // An abort of ours may surface as an error of a layer in between.
      throw this.#stop.signal.aborted ? this.#stop.signal.reason : error;
    }
  }

  /** Frees the connection, whether or not the body was read, and stops the clocks. Idempotent. */
  close(): void {
    if (this.#endedAt !== null) return;
    this.#endedAt = this.#input.now();
    for (const timer of this.#timers) clearTimeout(timer);
    const body = this.#response?.body;
    if (body !== undefined && !body.readableEnded) {
      body.on("error", () => undefined); // What it was stopped with is known already.
      body.destroy();
    }
    this.#stop.abort(new StopReadingError("aborted", "the read is over"));
  }

  async *#countWire(body: Dispatcher.ResponseData["body"]): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of body) {
      const bytes: Buffer = chunk;
      this.#charge(bytes.length);
      yield bytes;
    }
  }

  #charge(bytes: number): void {
    this.#wireBytes += bytes;
    const { limits, permit } = this.#input;
    const shortfall = permit.charge(bytes);
    if (shortfall !== null) {
      throw new StopReadingError(
        "budget",
        budgetDetail(shortfall, `stopped after ${this.#wireBytes} bytes`),
        shortfall,
      );
    }
    if (this.#wireBytes > limits.wireBytes) {
      throw new StopReadingError(
        "too-large",
        `the answer exceeds the limit of ${limits.wireBytes} bytes on the wire`,
      );
    }
  }

  /** Where the length is announced, what will not fit is not begun. */
  #foresee(contentLength: string | string[] | undefined): void {
    if (typeof contentLength !== "string" || !/^\d{1,15}$/.test(contentLength)) return;
    const bytes = Number(contentLength);
    const { limits, permit } = this.#input;
    if (bytes > limits.wireBytes) {
      const detail = `the answer has ${bytes} bytes, more than the limit of ${limits.wireBytes} on the wire`;
      throw new StopReadingError("too-large", detail);
    }
    const shortfall = permit.foresee(bytes);
    if (shortfall !== null) {
      throw new StopReadingError(
        "budget",
        budgetDetail(shortfall, `the answer has ${bytes} bytes`),
        shortfall,
      );
    }
  }

  #stopAfter(durationMs: number, what: string): NodeJS.Timeout {
    const shown = Math.round(durationMs) / 1000;
    const stop = () => this.#stop.abort(new StopReadingError("timeout", `${what} within ${shown} s`));
    const timer = setTimeout(stop, Math.max(0, durationMs));
    this.#timers.push(timer);
    return timer;
  }
}

function budgetDetail(
  shortfall: { readonly current: number; readonly neededAtLeast: number | null },
  what: string,
): string {
  return shortfall.neededAtLeast === null
    ? `${what}: more than what is left of bytesPerMinute (${shortfall.current}) for this cluster`
    : `${what}: more than bytesPerMinute (${shortfall.current}) for this cluster ever admits; raise it above ${shortfall.neededAtLeast}`;
}

async function* gunzip(wire: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const decompressor = createGunzip({ chunkSize: CHUNK_BYTES });
  const source = Readable.from(wire, { objectMode: false, highWaterMark: CHUNK_BYTES });
  // The error comes out of the decompressor too, where it is read.
  pipeline(source, decompressor, () => undefined);
  for await (const chunk of decompressor) yield chunk;
}

/** Status line and headers as they are about; undici does not say how many bytes they had. */
function headerBytes(headers: IncomingHttpHeaders): number {
  let bytes = 17;
  for (const [name, value] of Object.entries(headers)) {
    const values = Array.isArray(value) ? value : [value ?? ""];
    for (const each of values) bytes += name.length + each.length + 4;
  }
  return bytes;
}

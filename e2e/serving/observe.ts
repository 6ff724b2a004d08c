import { readFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServedCluster } from "./served-cluster.ts";
import {
  type CountedResource,
  type CounterReading,
  countedBetween,
  readCounters,
  type ServingCounters,
} from "./server-counters.ts";

/** What came of one request: its answer, and what the server counted and priced while it was served. */
export interface Observed {
  /** Of a WATCH that was accepted and then failed, the code of its ERROR event. */
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  /** Objects, table rows or changes that the client received. */
  readonly received: number;
  /** Of the state that a LIST answered with. */
  readonly resourceVersion: string | null;
  readonly counted: ServingCounters;
  readonly seats: number;
}

interface Asked {
  readonly of: CountedResource;
  readonly path: string;
  readonly accept?: string | undefined;
  /** Nothing is counted for it: the counters are not read again. */
  readonly isUncounted?: boolean;
}

interface Body {
  readonly items?: readonly unknown[];
  readonly rows?: readonly unknown[];
  readonly metadata?: { readonly resourceVersion?: string };
}

/** Asks one server as the user with a price, and keeps account of what it counts. */
export class Observer {
  readonly #cluster: ServedCluster;
  #reading: CounterReading | null = null;

  constructor(cluster: ServedCluster) {
    this.#cluster = cluster;
  }

  /** As of the end of the last request. */
  async counters(of: CountedResource): Promise<ServingCounters> {
    this.#reading ??= await readCounters(this.#cluster.bed);
    return this.#reading(of);
  }

  /** Nothing else that is counted may go on meanwhile: the counters do not tell who asked. */
  async list({ of, path, accept, isUncounted = false }: Asked): Promise<Observed> {
    const { bed, token } = this.#cluster;
    const before = await this.counters(of);
    const answer = await bed.request({ path, token, ...(accept === undefined ? {} : { accept }) });
    const { status, text, headers } = answer;
    const counted = isUncounted ? countedBetween(before, before) : await this.#countedSince(before, of);
    const retryAfter = headers["retry-after"];
    const body = JSON.parse(text) as Body; // as the API server answers LISTs and refusals
    return {
      status,
      retryAfterSeconds: retryAfter === undefined ? null : Number(retryAfter),
      received: (body.items ?? body.rows ?? []).length,
      resourceVersion: body.metadata?.resourceVersion ?? null,
      counted,
      seats: await pricedSeats(this.#cluster, String(headers["audit-id"])),
    };
  }

  /**
   * Watches until as much was received and handled as is expected, and no longer than the server keeps the watch open:
   * for a second where nothing is expected.
   */
  async watch(
    { of, path, isUncounted = false }: Asked,
    expected: { readonly received: number; readonly handled: number },
  ): Promise<Observed> {
    const { bed, token } = this.#cluster;
    const before = await this.counters(of);
    const isQuiet = isUncounted || expected.received + expected.handled === 0;
    const watch = openWatch(`${bed.url}${path}&timeoutSeconds=${isQuiet ? 1 : 20}`, bed.authorityPem, token);
    const { status, auditId } = await watch.answer;
    const isDone = (counted: ServingCounters) =>
      watch.changes() >= expected.received && counted.initialEvents >= expected.handled;
    if (isQuiet) await watch.ended;
    let counted = isUncounted ? countedBetween(before, before) : await this.#countedSince(before, of);
    while (!watch.hasEnded() && !isDone(counted)) {
      await Promise.race([watch.ended, sleep(50)]);
      counted = await this.#countedSince(before, of);
    }
    watch.stop();
    const failure = watch.failure();
    return {
      status: failure?.code ?? status,
      retryAfterSeconds: failure?.details?.retryAfterSeconds ?? null,
      received: watch.changes(),
      resourceVersion: null,
      counted,
      seats: await pricedSeats(this.#cluster, auditId),
    };
  }

  async #countedSince(before: ServingCounters, of: CountedResource): Promise<ServingCounters> {
    this.#reading = await readCounters(this.#cluster.bed);
    return countedBetween(before, this.#reading(of));
  }
}

/** The Status that an ERROR event holds. */
interface WatchFailure {
  readonly code?: number;
  readonly details?: { readonly retryAfterSeconds?: number };
}

function openWatch(url: string, authorityPem: string, token: string) {
  let rest = "";
  let changes = 0;
  let failure: WatchFailure | null = null;
  let isOver = false;
  const readLine = (line: string) => {
    if (line.startsWith('{"type":"ERROR"'))
      failure = (JSON.parse(line) as { readonly object: WatchFailure }).object;
    else if (line.startsWith('{"type":') && !line.startsWith('{"type":"BOOKMARK"')) changes += 1;
  };
  const call = request(url, {
    ca: authorityPem,
    agent: false,
    headers: { authorization: `Bearer ${token}` },
  });
  const answer = new Promise<{ readonly status: number; readonly auditId: string }>((resolve, reject) => {
    call.on("error", reject);
    call.on("response", (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const lines = `${rest}${chunk}`.split("\n");
        rest = lines.pop() ?? "";
        lines.forEach(readLine);
      });
      resolve({ status: response.statusCode ?? 0, auditId: String(response.headers["audit-id"]) });
    });
  });
  const ended = new Promise<void>((resolve) => {
    call.on("close", () => {
      isOver = true;
      resolve();
    });
  });
  call.end();
  return {
    answer,
    ended,
    changes: () => changes,
    failure: () => failure,
    hasEnded: () => isOver,
    stop: () => call.destroy(),
  };
}

/** What one request was priced at, from the access log, which has its line once the request is over. */
async function pricedSeats({ bed }: ServedCluster, auditId: string): Promise<number> {
  const deadline = performance.now() + 5_000;
  const line = new RegExp(`audit-ID="${auditId}".* apf_iseats=(\\d+)`);
  for (;;) {
    const seats = line.exec(readFileSync(bed.apiServers[0]?.logPath ?? "", "utf8"))?.[1];
    if (seats !== undefined) return Number(seats);
    if (performance.now() > deadline) throw new Error(`${auditId} is not in the access log`);
    await sleep(10);
  }
}

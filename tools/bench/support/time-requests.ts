import { percentile } from "./figure.ts";
import { cpuSeconds } from "./process-figures.ts";

/** What a series of requests, one after the other, came to. */
export interface RequestTimes {
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** CPU of the server for one of them, the first left out. */
  readonly cpuMs: number;
  readonly bodyBytes: number;
}

/** Asks `count` times and once before; each answer is read whole. `pid` is the server's. @throws Error on anything but 200 */
export async function timeRequests(url: string, pid: number, count: number): Promise<RequestTimes> {
  const first = await timeRequest(url);
  const times: number[] = [];
  const cpuBefore = cpuSeconds(pid);
  for (let run = 0; run < count; run++) times.push((await timeRequest(url)).ms);
  return {
    firstMs: first.ms,
    p50Ms: percentile(times, 0.5),
    p95Ms: percentile(times, 0.95),
    cpuMs: (1000 * (cpuSeconds(pid) - cpuBefore)) / count,
    bodyBytes: first.bytes,
  };
}

async function timeRequest(url: string): Promise<{ readonly ms: number; readonly bytes: number }> {
  const startedAt = performance.now();
  const response = await fetch(url);
  const body = await response.arrayBuffer();
  const ms = performance.now() - startedAt;
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return { ms, bytes: body.byteLength };
}

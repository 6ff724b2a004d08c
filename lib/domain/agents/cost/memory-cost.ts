import type { InformerCost } from "./informer-cost.ts";
import type { Projection } from "./projection.ts";

/** What loading costs one API server in memory, by measurements of storms on a kube-apiserver 1.34.4: a model, ± a factor. */
export interface MemoryCost {
  /** Allocated by one start of one copy, bytes. */
  readonly allocatedBytesPerStart: number;
  /** LISTs that run at once on one API server at most: as seats and copies allow. */
  readonly mostExecuting: number;
  /** Above what it holds anyway, at the peak. */
  readonly peakBytesLow: number;
  readonly peakBytesHigh: number;
  /** High ÷ memory of an API server; `null`: that is not known. */
  readonly peakRatio: number | null;
}

interface Allocation {
  readonly bytesPerObject: number;
  readonly bytesPerByte: number;
}

/** Allocated by the server for one LIST, per object and per byte of the answer. */
const ALLOCATIONS: Readonly<Record<"json" | "protobuf" | "metadata" | "watch-list" | "paged", Allocation>> = {
  protobuf: { bytesPerObject: 3400, bytesPerByte: 1.3 },
  json: { bytesPerObject: 4000, bytesPerByte: 1.25 },
  metadata: { bytesPerObject: 5700, bytesPerByte: 0 },
  "watch-list": { bytesPerObject: 6600, bytesPerByte: 1.1 },
  paged: { bytesPerObject: 15_000, bytesPerByte: 0 },
};

/** Peak ÷ (most executing × allocated by one LIST), of LISTs of 25 to 100 MB. */
const PEAK_LOW = 0.4;
const PEAK_HIGH = 0.9;

/** `null` where nothing of it is known. `ceilingSeats`: of the level that most of it goes through. */
export function memoryCost(
  informers: readonly InformerCost[],
  copies: number,
  ceilingSeats: number | null,
  { apiServers, facts }: Projection,
): MemoryCost | null {
  const loading = informers.filter(({ start }) => start.receivedBytes.value > 0);
  if (loading.length === 0) return null;
  const allocated = loading.map(allocatedBytes);
  const allocatedBytesPerStart = allocated.reduce((sum, each) => sum + each, 0);
  // Informers of a copy load at the same time: seats of a start go with the bytes of a start.
  const seats = loading.reduce((sum, { start }) => sum + start.seats.value, 0);
  const bySeats = ceilingSeats === null || seats === 0 ? Number.POSITIVE_INFINITY : ceilingSeats / seats;
  const mostExecuting = Math.min(copies / apiServers, bySeats);
  const high = PEAK_HIGH * mostExecuting * allocatedBytesPerStart;
  const { memoryBytes } = facts.server;
  return {
    allocatedBytesPerStart,
    mostExecuting,
    peakBytesLow: PEAK_LOW * mostExecuting * allocatedBytesPerStart,
    peakBytesHigh: high,
    peakRatio: memoryBytes === null || memoryBytes <= 0 ? null : high / memoryBytes,
  };
}

function allocatedBytes({ informer, requests, start }: InformerCost): number {
  const { bytesPerObject, bytesPerByte } = ALLOCATIONS[allocationOf(informer.representation, requests)];
  return start.receivedObjects.value * bytesPerObject + start.receivedBytes.value * bytesPerByte;
}

function allocationOf(
  representation: InformerCost["informer"]["representation"],
  requests: InformerCost["requests"],
): keyof typeof ALLOCATIONS {
  if (requests.some(({ kind }) => kind === "watch-list")) return "watch-list";
  if (requests.some(({ kind }) => kind === "page")) return "paged";
  if (representation === "metadata-json" || representation === "metadata-protobuf") return "metadata";
  return representation === "protobuf" ? "protobuf" : "json";
}

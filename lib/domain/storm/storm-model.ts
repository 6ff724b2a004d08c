import type { Representation } from "../agents/agent.ts";

/**
 * Where and how a LIST is served, as far as its cost differs: from the cache at any age; from the cache after a look at
 * etcd (`resourceVersion` unset); page by page; from etcd; as initial events of a watch.
 */
export const SERVICE_SOURCES = ["cache", "consistent", "page", "etcd", "watch-list"] as const;
export type ServiceSource = (typeof SERVICE_SOURCES)[number];

/**
 * CPU of one LIST alone: base + perObject × objects returned + perByte × bytes returned, uncompressed in the form asked for.
 * The first entry of a list that fits is used; `null` fits all.
 */
export interface ServiceCoefficients {
  readonly apiGroup: string | null;
  readonly resource: string | null;
  readonly representation: Representation | null;
  readonly source: ServiceSource | null;
  readonly baseSeconds: number;
  readonly secondsPerObject: number;
  readonly secondsPerByte: number;
  /** Allocated by the API server, garbage included. */
  readonly allocatedBytesPerObject: number;
  readonly allocatedBytesPerByte: number;
  /** Likely error (1 sd) of the service time, as a ratio. */
  readonly errorRatio: number;
  /** Where it is from, for people. */
  readonly provenance: string;
  /** When it was measured on this cluster, milliseconds since the epoch; `null`: a default. */
  readonly calibratedAt: number | null;
}

/** All that is a model and no rule. Times are seconds of one core. */
export interface StormModel {
  readonly service: readonly ServiceCoefficients[];
  /** Added for gzip, per uncompressed byte. */
  readonly gzipSecondsPerByte: {
    readonly protobuf: number;
    readonly json: number;
    readonly metadata: number;
  };
  /** Bytes on the wire ÷ uncompressed bytes. */
  readonly gzipRatio: number;
  /** Looking at an object that is not returned. */
  readonly scanSecondsPerObject: number;
  /** A new TLS connection. */
  readonly handshakeSeconds: number;
  /** Opening a WATCH. */
  readonly watchSeconds: number;
  /** A small request; part of every LIST as well. */
  readonly requestSeconds: number;
  /** CPU of a LIST grows with the requests per core to this power. */
  readonly concurrencyExponent: number;
  /** A small request waits for its turn behind what runs so often, each time so long per request per core. */
  readonly schedulerTurns: number;
  readonly schedulerQuantumSeconds: number;
  readonly memory: StormMemoryModel;
}

/** Each with its likely lowest and highest value beside it. */
export interface StormMemoryModel {
  /** Process ÷ bytes stored in etcd, idle. */
  readonly idlePerStoredByte: MemoryFactor;
  /** Held by a streamed LIST ÷ bytes allocated for it. */
  readonly streamedPerAllocatedByte: MemoryFactor;
  /** Held by a LIST that is encoded in one piece (before 1.33) ÷ its body. */
  readonly bufferedPerBodyByte: MemoryFactor;
  /** Held by a LIST from etcd ÷ the stored bytes. */
  readonly etcdPerStoredByte: MemoryFactor;
  /** Held by a watch that sends its initial events. */
  readonly watchListBytes: number;
}

export interface MemoryFactor {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

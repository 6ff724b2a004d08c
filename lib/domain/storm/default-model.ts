import type { ServiceCoefficients, StormModel } from "./storm-model.ts";

/**
 * Coefficients where nothing was measured on the cluster itself. Measured on kube-apiserver 1.34.4, one core of a shared
 * virtual machine, real client-go reflectors, TLS, 20,000 pods of 5 KB: per object and per byte from single requests;
 * figures that could not be taken apart there are split so that their sum at 5 KB stays what was measured. Entries that
 * say `estimated` carry a measured form over to one that was not.
 */

const MICRO = 1e-6;
/** Milliseconds per MB, in seconds per byte. */
const MS_PER_MB = 1e-9;

/** The same request varied by 22 % from one time to the next; other collections lay within 60 % of what pods suggest. */
const POD_ERROR = 0.22;
const CARRIED_OVER_ERROR = 0.6;

const MEASURED = "default: measured on kube-apiserver 1.34.4 with pods";
const ESTIMATED = "default: estimated from other forms measured on kube-apiserver 1.34.4";

type Row = Pick<
  ServiceCoefficients,
  | "representation"
  | "source"
  | "baseSeconds"
  | "secondsPerObject"
  | "secondsPerByte"
  | "allocatedBytesPerObject"
  | "allocatedBytesPerByte"
> & { readonly isMeasured: boolean };

const row = (
  representation: Row["representation"],
  source: Row["source"],
  [baseMs, objectMicros, byteMsPerMb, allocatedKbPerObject, allocatedPerByte]: readonly [
    number,
    number,
    number,
    number,
    number,
  ],
  isMeasured: boolean,
): Row => ({
  representation,
  source,
  baseSeconds: baseMs / 1000,
  secondsPerObject: objectMicros * MICRO,
  secondsPerByte: byteMsPerMb * MS_PER_MB,
  allocatedBytesPerObject: allocatedKbPerObject * 1000,
  allocatedBytesPerByte: allocatedPerByte,
  isMeasured,
});

const FORMS: readonly Row[] = [
  row("protobuf", "cache", [0, 49, 8, 3.4, 1.3], true),
  row("json", "cache", [26, 22, 18, 4, 1.25], true),
  row("metadata-protobuf", "cache", [4, 6, 9, 5.7, 0], true),
  row("protobuf", "watch-list", [27, 58, 15, 6.6, 1.1], true),
  // 75 µs an object of 5 KB in all.
  row("protobuf", "consistent", [56, 35, 8, 9.2, 0], true),
  // 190 µs an object of 5 KB, 7.4 KB as JSON, in all.
  row("json", "page", [0, 57, 18, 15, 0], true),
  row("protobuf", "page", [0, 69, 8, 15, 0], false),
  row("json", "watch-list", [27, 31, 25, 6.6, 1.1], false),
  row("json", "consistent", [82, 22, 18, 9.2, 0], false),
  row("metadata-json", "cache", [4, 6, 18, 5.7, 0], false),
  // etcd's answer is decoded as well, about 25 µs an object.
  row("protobuf", "etcd", [56, 60, 8, 14, 1.3], false),
  row("json", "etcd", [82, 47, 18, 14, 1.25], false),
  row("metadata-protobuf", "etcd", [60, 31, 9, 14, 0], false),
  row("metadata-json", "etcd", [60, 31, 18, 14, 0], false),
  row("metadata-protobuf", null, [4, 8, 13, 6.6, 0], false),
  row("metadata-json", null, [4, 8, 25, 6.6, 0], false),
  row("cbor", null, [26, 22, 18, 4, 1.25], false),
];

/** Milliseconds per MB of protobuf from the cache, all in: the number of fields counts. */
const PER_MB: readonly (readonly [apiGroup: string, resource: string, msPerMb: number])[] = [
  ["", "configmaps", 10],
  ["", "nodes", 10],
  ["discovery.k8s.io", "endpointslices", 22],
  ["", "services", 23],
];

const complete = (
  { isMeasured, ...coefficients }: Row,
  apiGroup: string | null,
  resource: string | null,
): ServiceCoefficients => ({
  ...coefficients,
  apiGroup,
  resource,
  errorRatio: isMeasured && resource !== null ? POD_ERROR : CARRIED_OVER_ERROR,
  provenance: isMeasured ? MEASURED : ESTIMATED,
  calibratedAt: null,
});

export const DEFAULT_STORM_MODEL: StormModel = {
  service: [
    ...FORMS.filter(({ isMeasured }) => isMeasured).map((form) => complete(form, "", "pods")),
    ...PER_MB.map(([apiGroup, resource, msPerMb]) =>
      complete(row("protobuf", "cache", [0, 0, msPerMb, 3.4, 1.3], true), apiGroup, resource),
    ),
    ...FORMS.map((form) => complete(form, null, null)),
  ],
  gzipSecondsPerByte: { protobuf: 6 * MS_PER_MB, json: 2 * MS_PER_MB, metadata: 10 * MS_PER_MB },
  // Bodies of pods as JSON shrink to about this (kubernetes/kubernetes#141378).
  gzipRatio: 0.3,
  // A walk through 150,000 pods in memory takes 23 to 30 ms (kubernetes/kubernetes#139557); matching is dearer than that.
  scanSecondsPerObject: 1 * MICRO,
  handshakeSeconds: 0.0036,
  watchSeconds: 0.0008,
  requestSeconds: 0.0005,
  concurrencyExponent: 0.09,
  // Four turns of Go's 10 ms make the 1.5 s that exempt requests waited behind 36 LISTs, and the 13 s behind 330 small ones.
  schedulerTurns: 4,
  schedulerQuantumSeconds: 0.01,
  memory: {
    // Objects take 7 to 8 times their stored size, and the collector lets the process grow to twice that.
    idlePerStoredByte: { low: 14, likely: 15, high: 16 },
    streamedPerAllocatedByte: { low: 0.4, likely: 0.65, high: 0.9 },
    // Published before streaming: 1.5 times the body (kubernetes/kubernetes#129304) to 8 times (KEP-5116).
    bufferedPerBodyByte: { low: 1.5, likely: 4, high: 8 },
    // Five times the answer of etcd (KEP-3157).
    etcdPerStoredByte: { low: 2, likely: 5, high: 6 },
    watchListBytes: 2_000_000,
  },
};

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A recorded set, as README.md beside it describes. */
export interface VectorSet<Vector> {
  readonly set: string;
  readonly labels: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly vectors: readonly Vector[];
}

/** Reads one set of recorded vectors, for tests: `readVectors("seats-list.json.gz")`. The caller states the shape. */
export function readVectors<Vector>(file: string): VectorSet<Vector> {
  const bytes = readFileSync(new URL(file, import.meta.url));
  const text = file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
  return JSON.parse(text.toString("utf8")) as VectorSet<Vector>;
}

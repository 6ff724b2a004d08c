import type { SeriesPoint } from "../../domain/clusters/series.ts";

/**
 * A block holds 24 buckets of one series in one row, since the overhead of a row (about 15 bytes) is more than a
 * bucket needs. Layout, little-endian:
 *
 *   byte 0      kind
 *   bytes 1-3   bit i is set where bucket i is there
 *   rest        zero: nothing · constant: one float64 for all · flat: a float32 per bucket (min = avg = max) ·
 *               spread: min, avg, max as float32 per bucket
 *
 * float32 keeps seven significant digits, and rounding keeps min ≤ avg ≤ max.
 */
export const BLOCK_BUCKETS = 24;

const HEAD_BYTES = 4;
const ZERO = 0;
const CONSTANT = 1;
const FLAT = 2;
const SPREAD = 3;

/** Figures of one bucket; `null` is a bucket without data. */
export type Bucket = Omit<SeriesPoint, "atSeconds"> | null;

/** `buckets` has `BLOCK_BUCKETS` members, in order of time. */
export function encodeBlock(buckets: readonly Bucket[]): Buffer {
  const present = buckets.filter((bucket) => bucket !== null);
  const kind = kindOf(present);
  const block = Buffer.alloc(HEAD_BYTES + payloadBytes(kind, present.length));
  block.writeUInt8(kind, 0);
  block.writeUIntLE(
    buckets.reduce((bits, bucket, index) => bits + (bucket === null ? 0 : 2 ** index), 0),
    1,
    3,
  );
  let offset = HEAD_BYTES;
  if (kind === CONSTANT) block.writeDoubleLE(present[0]?.avg ?? 0, offset);
  if (kind !== FLAT && kind !== SPREAD) return block;
  for (const { min, avg, max } of present) {
    for (const value of kind === FLAT ? [avg] : [min, avg, max])
      offset = block.writeFloatLE(toFloat(value), offset);
  }
  return block;
}

/**
 * The buckets of a block, `BLOCK_BUCKETS` long.
 * @throws RangeError where the block is not one that `encodeBlock` makes.
 */
export function decodeBlock(block: Uint8Array): Bucket[] {
  const buckets: Bucket[] = new Array(BLOCK_BUCKETS).fill(null);
  visitBlock(block, (index, min, avg, max) => {
    buckets[index] = { min, avg, max };
  });
  return buckets;
}

/** Calls `visit` for each bucket that is there, in order of time, without making an object of it. */
export function visitBlock(
  block: Uint8Array,
  visit: (index: number, min: number, avg: number, max: number) => void,
): void {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const kind = view.getUint8(0);
  if (kind > SPREAD) throw new RangeError(`unknown kind of block ${kind}`);
  const bits = view.getUint16(1, true) | (view.getUint8(3) << 16);
  const constant = kind === CONSTANT ? view.getFloat64(HEAD_BYTES, true) : 0;
  let offset = HEAD_BYTES;
  for (let index = 0; index < BLOCK_BUCKETS; index++) {
    if ((bits & (1 << index)) === 0) continue;
    if (kind === FLAT) {
      const value = view.getFloat32(offset, true);
      offset += 4;
      visit(index, value, value, value);
    } else if (kind === SPREAD) {
      visit(
        index,
        view.getFloat32(offset, true),
        view.getFloat32(offset + 4, true),
        view.getFloat32(offset + 8, true),
      );
      offset += 12;
    } else {
      visit(index, constant, constant, constant);
    }
  }
}

function kindOf(present: readonly NonNullable<Bucket>[]): number {
  const first = present[0];
  if (present.some(({ min, avg, max }) => min !== avg || max !== avg)) return SPREAD;
  if (present.some(({ avg }) => avg !== first?.avg)) return FLAT;
  return first === undefined || first.avg === 0 ? ZERO : CONSTANT;
}

function payloadBytes(kind: number, present: number): number {
  if (kind === ZERO) return 0;
  if (kind === CONSTANT) return 8;
  return present * (kind === FLAT ? 4 : 12);
}

/** Beyond its range a float32 is infinite, which no reading is. */
function toFloat(value: number): number {
  const limit = 3.4028234663852886e38;
  return Math.min(limit, Math.max(-limit, value));
}

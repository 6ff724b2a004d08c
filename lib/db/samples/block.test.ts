import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BLOCK_BUCKETS, type Bucket, decodeBlock, encodeBlock } from "./block.ts";

const gap: Bucket = null;
const flat = (value: number): Bucket => ({ min: value, avg: value, max: value });
const fill = (bucketAt: (index: number) => Bucket): Bucket[] =>
  Array.from({ length: BLOCK_BUCKETS }, (_, i) => bucketAt(i));

describe("blocks of buckets", () => {
  test("zero everywhere takes four bytes", () => {
    const buckets = fill(() => flat(0));
    expect(encodeBlock(buckets)).toHaveLength(4);
    expect(decodeBlock(encodeBlock(buckets))).toEqual(buckets);
  });

  test("gaps stay gaps and are not zero", () => {
    const buckets = fill((index) => (index % 3 === 0 ? flat(0) : gap));
    expect(decodeBlock(encodeBlock(buckets))).toEqual(buckets);
    expect(decodeBlock(encodeBlock(fill(() => gap)))).toEqual(fill(() => gap));
  });

  test("one value throughout is exact, whatever its size", () => {
    const buckets = fill((index) => (index === 5 ? gap : flat(8_589_934_593.25)));
    expect(encodeBlock(buckets)).toHaveLength(12);
    expect(decodeBlock(encodeBlock(buckets))).toEqual(buckets);
  });

  test("whole numbers below 16 million are exact in every kind of block", () => {
    const buckets = fill((index) =>
      index < 12 ? flat(index * 1000) : { min: 0, avg: index, max: 16_777_215 },
    );
    expect(decodeBlock(encodeBlock(buckets))).toEqual(buckets);
  });

  test("any readings come back with their order and seven significant digits, and their gaps", () => {
    const reading = fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e15 });
    const bucket = fc.tuple(reading, reading, reading).map((values): Bucket => {
      const [min = 0, avg = 0, max = 0] = values.sort((a, b) => a - b);
      return { min, avg, max };
    });
    const block = fc.array(fc.option(bucket, { freq: 3 }), {
      minLength: BLOCK_BUCKETS,
      maxLength: BLOCK_BUCKETS,
    });
    fc.assert(
      fc.property(block, (buckets) => {
        const decoded = decodeBlock(encodeBlock(buckets));
        expect(decoded.map((one) => one === null)).toEqual(buckets.map((one) => one === null));
        for (const [index, one] of decoded.entries()) {
          const wanted = buckets[index];
          if (!one || !wanted) continue;
          expect(one.min).toBeLessThanOrEqual(one.avg);
          expect(one.avg).toBeLessThanOrEqual(one.max);
          for (const field of ["min", "avg", "max"] as const) {
            expect(Math.abs(one[field] - wanted[field])).toBeLessThanOrEqual(wanted[field] * 6e-8 + 1e-40);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a value beyond float32 is its largest, never infinite", () => {
    const decoded = decodeBlock(encodeBlock(fill((index) => ({ min: 0, avg: index, max: 1e300 }))));
    expect(decoded[0]?.max).toBeCloseTo(3.4028234663852886e38, -30);
  });

  test.each([
    ["empty", Buffer.alloc(0)],
    ["of an unknown kind", Buffer.from([9, 1, 0, 0])],
    ["cut short", encodeBlock(fill((index) => flat(index))).subarray(0, 20)],
  ])("a block that is %s is refused", (_, block) => {
    expect(() => decodeBlock(block)).toThrow(RangeError);
  });
});

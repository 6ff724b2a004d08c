import { formatSignificant, joinQuantity, type Quantity } from "./number.ts";

const TRANSFER_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;
const MEMORY_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** Bytes on the wire and stored sizes: powers of 1000, three significant digits. */
export const bytesQuantity = (bytes: number): Quantity => scale(bytes, 1000, TRANSFER_UNITS);

/** Memory: powers of 1024, three significant digits. */
export const memoryQuantity = (bytes: number): Quantity => scale(bytes, 1024, MEMORY_UNITS);

/** `240 MB`. */
export const formatBytes = (bytes: number): string => joinQuantity(bytesQuantity(bytes));

/** `26.6 GiB`. */
export const formatMemory = (bytes: number): string => joinQuantity(memoryQuantity(bytes));

/** `1.15 GB/s`. */
export const formatByteRate = (bytesPerSecond: number): string => `${formatBytes(bytesPerSecond)}/s`;

/** The largest unit in which the rounded figure is at least 1 and below the base: 999.9 kB is `1 MB`, not `1000 kB`. */
function scale(bytes: number, base: number, units: readonly string[]): Quantity {
  let value = bytes;
  let unit = 0;
  const rounded = () => (unit === 0 ? Math.round(Math.abs(value)) : Number(Math.abs(value).toPrecision(3)));
  // 1024 MiB rounds to 1020, so the figure itself is asked too.
  while (unit < units.length - 1 && Math.max(Math.abs(value), rounded()) >= base) {
    value /= base;
    unit += 1;
  }
  return {
    figure: unit === 0 ? formatSignificant(Math.round(value), 4) : formatSignificant(value),
    unit: units[unit] ?? "",
  };
}

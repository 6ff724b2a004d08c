const GROUP_SPACE = "\u202f";
const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB", "PB"] as const;

/** Digits in groups of three, apart by a narrow no-break space, from four digits on. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, GROUP_SPACE);
}

/** Decimal units, as seats are counted in them: `4.2 KB`, `1 MB`; up to three significant digits. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${Number(value.toPrecision(3))} ${BYTE_UNITS[unit]}`;
}

export function formatSeats(seats: number): string {
  return seats === 1 ? "1 seat" : `${formatCount(seats)} seats`;
}

/** U+202F, a narrow no-break space: groups the digits of a number. */
const GROUP_SPACE = "\u202f";

/** U+00A0, a no-break space: stands between a figure and its unit, so that neither is torn from the other. */
export const UNIT_SPACE = "\u00a0";

/** A figure with its unit apart, so that a page can dim the unit. `unit` is empty where there is none. */
export interface Quantity {
  readonly figure: string;
  readonly unit: string;
}

/** Figure and unit as one string, a no-break space between them. */
export function joinQuantity({ figure, unit }: Quantity): string {
  return unit === "" ? figure : `${figure}${UNIT_SPACE}${unit}`;
}

/** A whole number, grouped from four digits: `640`, `48 000`. A fraction is rounded half away from zero. */
export function formatCount(value: number): string {
  const rounded = Math.round(Math.abs(value));
  const grouped = String(rounded).replace(/\B(?=(\d{3})+$)/g, GROUP_SPACE);
  return value < 0 && rounded !== 0 ? `−${grouped}` : grouped;
}

/** Three significant digits without trailing zeros: `0.99`, `19.2`, `481`; from 1000 on whole and grouped. */
export function formatSignificant(value: number, digits = 3): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  const text = Number(size.toPrecision(digits));
  const figure = text >= 1000 ? formatCount(text) : trimExponent(text);
  return value < 0 ? `−${figure}` : figure;
}

/** A fixed number of decimals, for columns whose decimal points should stand under each other. */
export function formatFixed(value: number, decimals: number): string {
  const [whole = "0", fraction] = Math.abs(value).toFixed(decimals).split(".");
  const grouped = formatCount(Number(whole));
  const figure = fraction === undefined ? grouped : `${grouped}.${fraction}`;
  return value < 0 && Number(figure) !== 0 ? `−${figure}` : figure;
}

/** Whole seats in use against the current limit: `361 / 368`; `–` on the side that does not apply. */
export function formatSeats(inUse: number | null, limit: number | null): string {
  const side = (value: number | null) => (value === null ? "–" : formatCount(value));
  return `${side(inUse)} / ${side(limit)}`;
}

/** A share of one as a percentage: `94.1 %`; above 2 as a multiple: `25 ×`. */
export function formatShare(ratio: number): string {
  if (ratio > 2) return `${formatSignificant(ratio)}${UNIT_SPACE}×`;
  if (ratio > 0 && ratio < 0.001) return `< 0.1${UNIT_SPACE}%`;
  return `${formatSignificant(ratio * 100)}${UNIT_SPACE}%`;
}

/** Per second: `19.2 /s`; below a hundredth `< 0.01 /s`, never a rounded zero. */
export function rateQuantity(perSecond: number): Quantity {
  if (perSecond > 0 && perSecond < 0.01) return { figure: "< 0.01", unit: "/s" };
  return { figure: formatSignificant(perSecond), unit: "/s" };
}

export const formatRate = (perSecond: number): string => joinQuantity(rateQuantity(perSecond));

/** `1 cluster`, `14 clusters`. */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `toString` writes very small numbers with an exponent; three significant digits never need one to be read. */
function trimExponent(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toFixed(9).replace(/0+$/, "") : text;
}

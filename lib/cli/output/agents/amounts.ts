import type { Amount } from "../../../domain/agents/index.ts";
import { formatNumber } from "../../../domain/rollout/figure.ts";
import { formatBytes } from "../../../format/bytes.ts";
import { formatRate, formatSignificant } from "../../../format/number.ts";
import { plain } from "../price.ts";

/** `28 000`, `≥ 12` where something of it is not known, `≤ 12` for a bound, `?` where nothing is. */
export const formatAmount = (amount: Amount | null): string => withBound(amount, formatFigure);

export const formatByteAmount = (amount: Amount | null): string => withBound(amount, formatBytes);

export const formatRateAmount = (amount: Amount): string => withBound(amount, formatRate);

/** Whole numbers and those from 1,000 on as whole ones, others to three digits. */
export const formatFigure = (value: number): string =>
  Number.isInteger(value) || value >= 1000 ? formatNumber(Math.round(value)) : formatSignificant(value);

function withBound(amount: Amount | null, format: (value: number) => string): string {
  if (amount === null || (!amount.isComplete && amount.value === 0)) return "?";
  // What is not known whole and is a bound in part is neither: it is this order of magnitude.
  const mark = amount.isComplete ? (amount.isUpperBound ? "≤ " : "") : amount.isUpperBound ? "~ " : "≥ ";
  return `${mark}${plain(format(amount.value))}`;
}

import { expect, test } from "vitest";
import { parseByteQuantity, parseDurationSeconds } from "./quantity.ts";

test.each([
  ["256Mi", 268_435_456],
  ["4096", 4096],
  ["1.5G", 1_500_000_000],
  ["1k", 1000],
  ["1Ki", 1024],
  ["2Ti", 2_199_023_255_552],
  [" 5M ", 5_000_000],
])("%s is %d bytes", (text, bytes) => {
  expect(parseByteQuantity(text)).toBe(bytes);
});

test.each(["", "0", "0Mi", "-5M", "5MB", "5 M", "1e3", "Mi", "99999999Ti", "5m", "K5"])(
  "%j is no quantity of bytes",
  (text) => {
    expect(parseByteQuantity(text)).toBeNull();
  },
);

test.each([
  ["2h", 7200],
  ["14d", 1_209_600],
  ["400d", 34_560_000],
  ["1h30m", 5400],
  ["90s", 90],
  ["1w", 604_800],
])("%s is %d seconds", (text, seconds) => {
  expect(parseDurationSeconds(text)).toBe(seconds);
});

test.each(["", "0s", "2", "30m1h", "-1h", "1.5h", "2 h", "1y", "h"])("%j is no duration", (text) => {
  expect(parseDurationSeconds(text)).toBeNull();
});

/** Colours of a terminal, or none of them. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly red: (text: string) => string;
}

const plain = (text: string) => text;
export const PLAIN: Style = { bold: plain, dim: plain, green: plain, yellow: plain, red: plain };

/**
 * One line of text that may come from a cluster or a kubeconfig, without what a terminal obeys instead of showing:
 * control characters become one blank, those that turn the direction of writing go.
 */
export function printable(text: string): string {
  return text.replace(/[\u202A-\u202E\u2066-\u2069]/g, "").replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

const sgr = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;
export const COLOURED: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  red: sgr(31, 39),
};

/** Colour only on a terminal, and never where `NO_COLOR` is set to anything (https://no-color.org). */
export function chooseStyle(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const isUnwanted = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
  return stream.isTTY === true && !isUnwanted ? COLOURED : PLAIN;
}

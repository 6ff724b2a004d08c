/** Names of files as people number them: `dump.2.txt` before `dump.10.txt`. */
export function compareNatural(a: string, b: string): number {
  const [as, bs] = [a.split(/(\d+)/), b.split(/(\d+)/)];
  for (let at = 0; at < Math.max(as.length, bs.length); at++) {
    const [x = "", y = ""] = [as[at], bs[at]];
    if (x === y) continue;
    const isNumber = /^\d+$/.test(x) && /^\d+$/.test(y);
    if (isNumber && Number(x) !== Number(y)) return Number(x) - Number(y);
    return x < y ? -1 : 1;
  }
  return 0;
}

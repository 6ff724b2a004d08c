/** Adds query parameters to a path that may have some already; `undefined` ones are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  if (pairs.length === 0) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${pairs.join("&")}`;
}

/** The path as messages show it: a continue token says nothing to people and is long. */
export function shownPath(pathAndQuery: string): string {
  const short = pathAndQuery.replace(/([?&]continue=)[^&]+/g, "$1…");
  return short.length <= 500 ? short : `${short.slice(0, 499)}…`;
}

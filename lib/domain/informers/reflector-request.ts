/** One request as a reflector sends it. */
export interface ReflectorRequest {
  readonly verb: "list" | "watch";
  /** A WATCH that asks for the initial state, in place of a LIST. */
  readonly isWatchList: boolean;
  /** Parameters by name, sorted; absent ones are not sent. */
  readonly query: Readonly<Record<string, string>>;
  /** 1 for the first attempt, up to 11: the REST client repeats a call by itself. */
  readonly attempt: number;
}

export const DEFAULT_PAGE_SIZE = 500;
/** Shortest time that a reflector asks a watch to last; the longest is just below twice as long. */
export const MIN_WATCH_TIMEOUT_SECONDS = 300;

export function listRequest(resourceVersion: string, limit: number, token: string): ReflectorRequest {
  return {
    verb: "list",
    isWatchList: false,
    query: {
      ...(token === "" ? {} : { continue: token }),
      ...(limit > 0 ? { limit: String(limit) } : {}),
      ...(resourceVersion === "" ? {} : { resourceVersion }),
    },
    attempt: 1,
  };
}

export function watchRequest(
  resourceVersion: string,
  isWatchList: boolean,
  timeoutSeconds: number,
): ReflectorRequest {
  return {
    verb: "watch",
    isWatchList,
    query: {
      allowWatchBookmarks: "true",
      ...(resourceVersion === "" ? {} : { resourceVersion }),
      ...(isWatchList ? { resourceVersionMatch: "NotOlderThan", sendInitialEvents: "true" } : {}),
      timeoutSeconds: String(timeoutSeconds),
      watch: "true",
    },
    attempt: 1,
  };
}

/** Whole seconds in [300, 600), or up to just below twice a longer minimum. `random` gives a number in [0, 1). */
export function watchTimeoutSeconds(minimumSeconds: number, random: () => number): number {
  const minimum = Math.max(minimumSeconds, MIN_WATCH_TIMEOUT_SECONDS);
  return Math.trunc(minimum * (random() + 1));
}

/** The parameters as a raw query string, in the order of their names as client-go sends them. */
export function toQueryString(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}

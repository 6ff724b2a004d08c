/** Most objects of a cluster-wide LIST of pods. */
export const POD_SAMPLE_LIMIT = 50;

/** A capability beyond the guard rails that a pass never has. */
export interface GuardCapabilities {
  /** LIST all pods of a cluster, paged. For the bench of the LIST reader and for one-off readers; never for a pass. */
  readonly allowPodList?: boolean;
}

/** Subresources that open a stream, run something, or lead to another program. */
const REFUSED_SUBRESOURCES: ReadonlySet<string> = new Set(["exec", "attach", "portforward", "proxy", "log"]);

/**
 * Why a path must not be sent, in words, or null when it may. We only ever GET; beyond that:
 *
 * - no path that mentions `secrets` anywhere, query included, whatever its case and however often percent-encoded
 * - no watch, neither by `watch=` nor by the `/watch/` prefix
 * - a LIST of the pods of a whole cluster only with `limit` from 1 to 50, and never with `continue`
 * - no `exec`, `attach`, `portforward`, `proxy`, `log`
 * - no path that a server or proxy could read differently than we do (dot segments, encoded slashes, backslashes,
 *   control characters, fragments, a host)
 *
 * @param pathAndQuery as it would be sent
 */
export function findGuardViolation(
  pathAndQuery: string,
  capabilities: GuardCapabilities = {},
): string | null {
  if (!/^\/(?!\/)/.test(pathAndQuery)) return "a path begins with one slash";
  if (/[^!-~]|[\\#]/.test(pathAndQuery)) {
    return "a path holds no blank, control character, backslash, fragment or unencoded non-ASCII character";
  }
  const decoded = decodeFully(pathAndQuery);
  if (decoded === null) return "the percent-encoding of the path cannot be read";
  if (decoded.toLowerCase().includes("secrets")) return "Headroom reads nothing that mentions secrets";

  const queryAt = pathAndQuery.indexOf("?");
  const path = queryAt < 0 ? pathAndQuery : pathAndQuery.slice(0, queryAt);
  if (/%(?:25|2f|5c|00)/i.test(path)) return "a path holds no encoded slash, backslash, percent sign or zero";
  const segments = decodeURIComponent(path).toLowerCase().split("/").slice(1);
  if (segments.some((segment) => segment === "." || segment === "..")) return "a path holds no dot segments";
  if (segments.slice(0, -1).includes("")) return "a path holds no empty segment";
  if (segments.at(-1) === "") segments.pop();

  const query = new URLSearchParams(queryAt < 0 ? "" : pathAndQuery.slice(queryAt + 1));
  return (
    findWatch(segments, query) ?? findSubresource(segments) ?? findPodList(segments, query, capabilities)
  );
}

/** Percent-decoding repeated until nothing changes; null where it cannot be decoded. `+` in it is a blank. */
function decodeFully(text: string): string | null {
  let current = text.replaceAll("+", " ");
  for (let round = 0; round < 8; round++) {
    let next: string;
    try {
      next = decodeURIComponent(current);
    } catch {
      // A lone percent sign is legal only as the result of an earlier round ("100%25" in a selector).
      return round === 0 ? null : current;
    }
    if (next === current) return current;
    current = next;
  }
  return null;
}

/** Segments after `/api/<version>` or `/apis/<group>/<version>`; null for any other path. */
function resourceSegments(segments: readonly string[]): readonly string[] | null {
  if (segments[0] === "api") return segments.slice(2);
  if (segments[0] === "apis") return segments.slice(3);
  return null;
}

function findWatch(segments: readonly string[], query: URLSearchParams): string | null {
  const reason = "Headroom opens no watch";
  if (resourceSegments(segments)?.[0] === "watch") return reason;
  for (const [name, value] of query) {
    const lower = name.toLowerCase();
    if (lower === "follow") return "Headroom follows no stream";
    if ((lower === "watch" || lower === "sendinitialevents") && value !== "false" && value !== "0")
      return reason;
  }
  return null;
}

function findSubresource(segments: readonly string[]): string | null {
  const rest = resourceSegments(segments);
  if (rest === null) return null;
  // namespaces/<namespace>/<resource>/<name>/<subresource> or <resource>/<name>/<subresource>; a namespace's own
  // subresources ("status", "finalize") are none of those looked for.
  const object = rest[0] === "namespaces" && rest.length > 2 ? rest.slice(2) : rest;
  const subresource = object[2];
  return subresource !== undefined && REFUSED_SUBRESOURCES.has(subresource)
    ? `Headroom opens no ${subresource} of an object`
    : null;
}

function findPodList(
  segments: readonly string[],
  query: URLSearchParams,
  capabilities: GuardCapabilities,
): string | null {
  const rest = resourceSegments(segments);
  if (segments[0] !== "api" || rest?.length !== 1 || rest[0] !== "pods") return null;
  if (capabilities.allowPodList === true) return null;
  if (query.has("continue")) return "a LIST of all pods of a cluster is never continued";
  const limits = query.getAll("limit");
  const limit = limits.length === 1 && /^[0-9]{1,4}$/.test(limits[0] ?? "") ? Number(limits[0]) : 0;
  if (limit < 1 || limit > POD_SAMPLE_LIMIT) {
    return `a LIST of all pods of a cluster takes a limit from 1 to ${POD_SAMPLE_LIMIT}`;
  }
  // The watch cache ignores the limit for any age ("0"): all pods would come.
  if (query.get("resourceVersion") === "0") {
    return "a LIST of all pods of a cluster takes no resourceVersion=0, for which the limit is ignored";
  }
  return null;
}

import { RequestRefused } from "./request-refused.ts";

/** What decides whether a request may pass: header names as `Headers` takes them. */
export interface RequestFacts {
  readonly method: string;
  readonly headers: Pick<Headers, "get">;
}

/** Names under which this server may be asked. */
export interface OwnNames {
  /** The address it listens on, a loopback one. */
  readonly address: string;
  /** Origin under which people reach it, when it is not its address. */
  readonly baseUrl: string | null;
}

/**
 * The Host header must name this machine's loopback or what the configuration says. A page of another site whose name
 * was pointed at 127.0.0.1 (DNS rebinding) sends its own name. The port does not matter: a tunnel may map it.
 * @throws RequestRefused 421
 */
export function assertOwnHost({ headers }: RequestFacts, own: OwnNames): void {
  const name = hostName(headers.get("host"));
  if (name !== null && (isLoopbackName(name) || name === own.address.toLowerCase())) return;
  if (name !== null && own.baseUrl !== null && name === hostName(new URL(own.baseUrl).host)) return;
  throw new RequestRefused(
    421,
    "unknown-host",
    "Headroom answers under localhost, a loopback address, or the name in server.baseUrl only.",
  );
}

/** Host without port, in lower case; brackets of IPv6 taken off; `null` where it is none. */
function hostName(host: string | null): string | null {
  if (host === null || !/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/i.test(host)) return null;
  return host
    .toLowerCase()
    .replace(/:\d+$/, "")
    .replace(/^\[|\]$/g, "");
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/**
 * What changes something comes from this site's own pages, or from a program. A browser says where a request comes
 * from (Sec-Fetch-Site, Origin): that must be here. A program says neither; it must send `Content-Type:
 * application/json`, which no form can, so that a browser too old to say anything cannot be made to.
 * @throws RequestRefused 403
 */
export function assertSameOrigin({ method, headers }: RequestFacts, own: OwnNames): void {
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  if (site !== null && site !== "same-origin") throw crossSite();
  if (origin !== null) {
    if (!isOwnOrigin(origin, headers.get("host"), own)) throw crossSite();
    return;
  }
  if (site === null && !isJson(headers.get("content-type"))) {
    throw new RequestRefused(
      403,
      "cross-site",
      "A request that says no Origin must say Content-Type: application/json, also where it has no body.",
    );
  }
}

function crossSite(): RequestRefused {
  return new RequestRefused(
    403,
    "cross-site",
    "This request comes from another site. Changes are taken from Headroom's own pages only.",
  );
}

function isOwnOrigin(origin: string, host: string | null, own: OwnNames): boolean {
  const parsed = URL.parse(origin);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  if (own.baseUrl !== null && parsed.origin === new URL(own.baseUrl).origin) return true;
  // The origin of our own pages is the host that they were asked under, port included; the scheme is the proxy's affair.
  return host !== null && parsed.host === (URL.parse(`${parsed.protocol}//${host}`)?.host ?? "");
}

/** `application/json`, with parameters or without. */
export function isJson(contentType: string | null): boolean {
  return contentType !== null && /^application\/json\s*(?:;|$)/i.test(contentType.trim());
}

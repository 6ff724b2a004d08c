import { isIP } from "node:net";
import { checkServerIdentity, createSecureContext, type PeerCertificate, type SecureContext } from "node:tls";
import { Client, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from "undici";
import type { ConnectionId } from "./client-types.ts";
import type { Credential } from "./credentials.ts";
import type { ClusterEntry } from "./kubeconfig-types.ts";

/** Seconds until a connection must be there, the TLS handshake included. */
export const CONNECT_SECONDS = 10;
/** Longer than the shortest period of a part, so that connections are used again; API servers keep them for minutes. */
const KEEP_ALIVE_MS = 60_000;

/** One address of a cluster. */
export interface ServerAddress {
  /** `https://host:port`. */
  readonly origin: string;
  /** Path of the kubeconfig's URL, without a trailing slash; empty for other addresses. */
  readonly basePath: string;
  /** `host:port`. */
  readonly server: string;
  /** Whether it is an address of one server rather than the one of the kubeconfig. */
  readonly isDirect: boolean;
  /** Name to send and to check the certificate against; null for the rules of a direct address. */
  readonly serverName: string | null;
  /** Name of the connection that is used; null for the one without a name. */
  readonly connection: string | null;
  /** Whether that connection is known to lead to one server. */
  readonly isOneServer: boolean;
}

/** The connection to one address: one at a time, opened anew where it was closed. */
export interface Connections {
  readonly dispatcher: Dispatcher;
  /** The one opened last; `null` where it has no name, or it cannot be told. */
  readonly latest: () => ConnectionId | null;
}

/** The TLS part of a connection, in tls.connect's words. */
interface TlsOptions {
  readonly secureContext: SecureContext;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/** A client certificate, key or CA that OpenSSL does not take. */
export class UnusableTlsError extends Error {
  override readonly name = "UnusableTlsError";
}

/** The kubeconfig's own address. */
export function configuredAddress(cluster: ClusterEntry): ServerAddress {
  const url = new URL(cluster.server);
  return {
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ""),
    server: withPort(url),
    isDirect: false,
    serverName: cluster.tlsServerName,
    connection: null,
    isOneServer: false,
  };
}

/** @throws RangeError where `address` is not `host:port` */
export function directAddress(
  cluster: ClusterEntry,
  address: string,
  serverName: string | null,
): ServerAddress {
  const { protocol } = new URL(cluster.server);
  const url = `${protocol}//${address}`;
  if (!/^(?:\[[0-9a-fA-F:.]+\]|[^\s/:@?#[\]]+):\d{1,5}$/.test(address) || !URL.canParse(url)) {
    throw new RangeError(`${JSON.stringify(address)} is no address; expected host:port`);
  }
  const { origin } = new URL(url);
  return {
    origin,
    basePath: "",
    server: withPort(new URL(url)),
    isDirect: true,
    serverName,
    connection: null,
    isOneServer: false,
  };
}

/**
 * The certificates of a cluster as OpenSSL holds them, some 30 kB: once for all its addresses, not for each connection.
 * Connections can be used again while these stay the same.
 */
export class Certificates {
  readonly context: SecureContext;
  readonly #files: CertificateFiles;

  /** @throws UnusableTlsError */
  constructor({ ca, cert, key }: CertificateFiles) {
    this.#files = { ca, cert, key };
    try {
      this.context = createSecureContext({
        ...(ca === null ? {} : { ca }),
        ...(cert === null || key === null ? {} : { cert, key }),
      });
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      throw new UnusableTlsError(`the CA, client certificate or client key cannot be used (${code})`);
    }
  }

  areOf({ ca, cert, key }: CertificateFiles): boolean {
    const files = this.#files;
    return files.ca === ca && files.cert === cert && files.key === key;
  }
}

type CertificateFiles = Pick<Credential, "ca" | "cert" | "key">;

/**
 * The connection to one address with one set of certificates. One is enough: an API server is asked one thing at a
 * time, and a pool would open a second one now and then, for hundreds of clusters a thousand that nobody needs.
 * HTTP/1.1 only: its framing tells a body that was cut short from one that ended.
 */
export function openConnections(
  cluster: ClusterEntry,
  address: ServerAddress,
  certificates: Certificates,
): Connections {
  const tls = tlsOptions(cluster, address, certificates);
  const timeout = CONNECT_SECONDS * 1000;
  const common = {
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const { proxyUrl } = cluster;
  if (proxyUrl?.startsWith("socks")) {
    // undici resolves names at the proxy, which is what socks5h asks for.
    const uri = proxyUrl.replace(/^socks5h:/, "socks5:");
    const dispatcher = new Socks5ProxyAgent(uri, {
      ...common,
      connections: 1,
      requestTls: { ...tls, timeout },
    });
    return { dispatcher, latest: () => null };
  }
  const tracked = trackConnections();
  const options = { ...common, allowH2: false };
  const dispatcher =
    proxyUrl === null
      ? tracked.open(address.origin, { ...options, connect: { ...tls, timeout, allowH2: false } })
      : new ProxyAgent({
          ...options,
          factory: tracked.open,
          uri: proxyUrl,
          connectTimeout: timeout,
          requestTls: { ...tls, timeout, allowH2: false },
        });
  return { dispatcher, latest: address.connection === null ? () => null : tracked.latest };
}

/** Connections opened by this process. */
let opened = 0;

/**
 * Clients of one connection each that say when they open it. A client opens the next one only for a request that
 * waits, so while one thing is asked at a time the one opened last is the one that answers.
 */
function trackConnections() {
  let latest: ConnectionId | null = null;
  return {
    latest: () => latest,
    // A proxy's agent calls it too, with options that it types as any object.
    open: (origin: string | URL, options: object): Dispatcher =>
      new Client(origin, options).on("connect", () => {
        opened += 1;
        latest = `connection-${opened}`;
      }),
  };
}

function tlsOptions(cluster: ClusterEntry, address: ServerAddress, { context }: Certificates): TlsOptions {
  return {
    secureContext: context,
    rejectUnauthorized: !cluster.insecureSkipTlsVerify,
    // A name to send must be a name: RFC 6066 allows no address.
    ...(address.serverName === null || isIP(address.serverName) !== 0
      ? {}
      : { servername: address.serverName }),
    ...(address.isDirect && address.serverName === null
      ? { checkServerIdentity: directIdentityCheck(cluster) }
      : address.serverName !== null && isIP(address.serverName) !== 0
        ? {
            checkServerIdentity: (_: string, certificate: PeerCertificate) =>
              checkServerIdentity(address.serverName ?? "", certificate),
          }
        : {}),
  };
}

/**
 * A certificate of an API server often does not hold the address of each server, but always a name of the cluster.
 * The chain is checked as ever; the certificate must then be valid for the address, for the name that the kubeconfig
 * trusts, or for the name in-cluster clients use, where the chain ends in the kubeconfig's own CA.
 */
function directIdentityCheck(cluster: ClusterEntry) {
  const configured = cluster.tlsServerName ?? new URL(cluster.server).hostname.replace(/^\[|\]$/g, "");
  const hasOwnAuthority =
    cluster.certificateAuthorityData !== null || cluster.certificateAuthorityFile !== null;
  const names = [configured, ...(hasOwnAuthority ? ["kubernetes.default.svc", "kubernetes"] : [])];
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    const failed = checkServerIdentity(host, certificate);
    return failed !== undefined && names.some((name) => checkServerIdentity(name, certificate) === undefined)
      ? undefined
      : failed;
  };
}

function withPort(url: URL): string {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return `${url.hostname}:${port}`;
}

import type { KubeClock } from "./clock.ts";
import { Credentials, credentialKindOf } from "./credentials.ts";
import type { ClusterEntry, CredentialKind, KubeconfigSource, UserEntry } from "./kubeconfig-types.ts";
import { withoutUserInfo } from "./redact.ts";

/** What a {@link ClusterTarget} is made of. */
export interface ClusterTargetFields {
  readonly name: string;
  readonly source: KubeconfigSource;
  readonly namespace: string | null;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry | null;
}

/**
 * One way to reach a cluster: a context of a kubeconfig, or the in-cluster account. Its fields can be shown and
 * stored; the credentials are private and appear in no output.
 */
export class ClusterTarget {
  /** Name of the context. */
  readonly name: string;
  readonly source: KubeconfigSource;
  /** File of the cluster entry. */
  readonly file: string;
  readonly clusterName: string;
  readonly userName: string | null;
  /** URL without user information. */
  readonly server: string;
  readonly namespace: string | null;
  readonly tlsServerName: string | null;
  /** The certificate of the server is not checked: worth a finding. */
  readonly insecureSkipTlsVerify: boolean;
  /** Without user information. */
  readonly proxyUrl: string | null;
  readonly credentialKind: CredentialKind;
  /** Whom it acts as; null without impersonation. */
  readonly impersonates: string | null;
  readonly #cluster: ClusterEntry;
  readonly #user: UserEntry | null;

  constructor({ name, source, namespace, cluster, user }: ClusterTargetFields) {
    this.name = name;
    this.source = source;
    this.namespace = namespace;
    this.file = cluster.file;
    this.clusterName = cluster.name;
    this.userName = user?.name ?? null;
    this.server = cluster.server;
    this.tlsServerName = cluster.tlsServerName;
    // Over plain HTTP there is nothing to check.
    this.insecureSkipTlsVerify = cluster.insecureSkipTlsVerify && cluster.server.startsWith("https:");
    this.proxyUrl = cluster.proxyUrl === null ? null : withoutUserInfo(cluster.proxyUrl);
    this.credentialKind = credentialKindOf(user);
    this.impersonates = user?.impersonate?.user ?? null;
    this.#cluster = cluster;
    this.#user = user;
  }

  /** The cluster entry, for the transport. Its proxy URL may hold a password. */
  clusterEntry(): ClusterEntry {
    return this.#cluster;
  }

  /** A provider of its credentials. */
  openCredentials(options: {
    readonly clock: KubeClock;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly execTimeoutSeconds?: number;
  }): Credentials {
    const { clock, env = process.env, execTimeoutSeconds } = options;
    return new Credentials({
      cluster: this.#cluster,
      user: this.#user,
      clock,
      env,
      ...(execTimeoutSeconds === undefined ? {} : { execTimeoutSeconds }),
    });
  }
}

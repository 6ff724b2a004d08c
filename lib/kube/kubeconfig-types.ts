/** Who named a kubeconfig. Only what an operator named may start programs; what came from the page never does. */
export type KubeconfigSource = "flag" | "environment" | "configuration-file" | "in-cluster" | "page";

/** One kubeconfig, or several that are merged as kubectl merges those of `KUBECONFIG`. */
export interface KubeconfigInput {
  /** Files in order of precedence. With several, one that does not exist is passed over, as kubectl does. */
  readonly paths: readonly string[];
  /** Names of contexts, or `["*"]` for all. Absent: the current context. */
  readonly contexts?: readonly string[];
  readonly source: KubeconfigSource;
}

/** How a context authenticates. */
export type CredentialKind =
  | "client-certificate"
  | "token"
  | "token-file"
  | "exec"
  | "oidc"
  | "basic"
  | "none";

/** The cluster of a context: the fields of a kubeconfig we use, paths absolute. */
export interface ClusterEntry {
  readonly name: string;
  readonly file: string;
  /** `http:` or `https:`, no user information, no trailing slash. */
  readonly server: string;
  readonly tlsServerName: string | null;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthorityFile: string | null;
  /** PEM. */
  readonly certificateAuthorityData: string | null;
  readonly proxyUrl: string | null;
  readonly disableCompression: boolean;
  /** What an exec plugin with `provideClusterInfo` is given as `config`. */
  readonly execConfig: unknown;
}

/** The user of a context. Holds credentials: never log or store one. */
export interface UserEntry {
  readonly name: string;
  readonly file: string;
  readonly clientCertificateFile: string | null;
  /** PEM. */
  readonly clientCertificateData: string | null;
  readonly clientKeyFile: string | null;
  /** PEM. */
  readonly clientKeyData: string | null;
  readonly token: string | null;
  readonly tokenFile: string | null;
  readonly username: string | null;
  readonly password: string | null;
  readonly exec: ExecEntry | null;
  readonly hasOidcProvider: boolean;
  /** Expires; the file is read again for each use, since kubectl writes refreshed tokens there. */
  readonly oidcIdToken: string | null;
  readonly impersonate: ImpersonateEntry | null;
}

/** An exec plugin as configured. */
export interface ExecEntry {
  readonly apiVersion: string;
  /** Absolute where it was a path; else looked up in PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string | null;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
}

/** Whom a context acts as. */
export interface ImpersonateEntry {
  readonly user: string;
  readonly uid: string | null;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

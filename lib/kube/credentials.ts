import type { KubeClock } from "./clock.ts";
import { CredentialError, type ExecCredential, runExecPlugin } from "./exec-plugin.ts";
import type { ClusterEntry, CredentialKind, ImpersonateEntry, UserEntry } from "./kubeconfig-types.ts";
import { parseKubeconfig } from "./parse-kubeconfig.ts";
import { readSmallFile } from "./read-small-file.ts";

/** What one request is sent with. */
export interface Credential {
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** PEM, or null. */
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

/** Where credentials come from. */
export interface CredentialOptions {
  readonly cluster: ClusterEntry;
  readonly user: UserEntry | null;
  readonly clock: KubeClock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execTimeoutSeconds?: number;
}

/** How long a failure of a plugin is remembered: a pass of many requests must not start it for each. */
const EXEC_FAILURE_SECONDS = 10;
/** Largest file that a kubeconfig may name; a bundle of every public authority is a tenth of it. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Credentials that are still recognised in what a server echoes. */
const REMEMBERED_SECRETS = 16;

/**
 * The credentials of one context. Files are read for every request, so that what rotates is taken up at once; an exec
 * plugin runs once at a time, and its credential is kept until it expires or is refused.
 */
export class Credentials {
  readonly #options: CredentialOptions;
  readonly #secrets = new Set<string>();
  readonly #closing = new AbortController();
  #exec: { readonly credential: ExecCredential } | null = null;
  #execRun: Promise<ExecCredential> | null = null;
  #execFailure: { readonly error: unknown; readonly until: number } | null = null;

  constructor(options: CredentialOptions) {
    this.#options = options;
    const { user } = options;
    for (const secret of [user?.token, user?.password, user?.clientKeyData]) this.#remember(secret ?? null);
    if (user?.password) this.#remember(basicValue(user));
  }

  /** Every credential handed out so far (the latest few), for redaction only. */
  secrets(): ReadonlySet<string> {
    return this.#secrets;
  }

  /** @throws CredentialError where one cannot be obtained; its message holds no credential */
  async get(): Promise<Credential> {
    const { cluster, user } = this.#options;
    const ca =
      cluster.certificateAuthorityData ??
      (await this.#readPem(cluster.certificateAuthorityFile, "certificate authority"));
    const headers: Record<string, string | string[]> = {};
    let cert: string | null = null;
    let key: string | null = null;
    if (user !== null) {
      cert =
        user.clientCertificateData ?? (await this.#readPem(user.clientCertificateFile, "client certificate"));
      key = user.clientKeyData ?? (await this.#readPem(user.clientKeyFile, "client key"));
      const exec = user.exec === null ? null : await this.#getExec(ca);
      if (exec?.clientCertificate) {
        cert = exec.clientCertificate;
        key = exec.clientKey;
      }
      const token = (await this.#getToken(user)) ?? exec?.token ?? null;
      if (token !== null) headers.authorization = `Bearer ${this.#checkHeader(token, "token")}`;
      else if (user.username !== null) headers.authorization = `Basic ${basicValue(user)}`;
      if (user.impersonate !== null) Object.assign(headers, impersonationHeaders(user.impersonate));
    }
    return { headers, ca, cert, key };
  }

  /** The API server refused the credential (401): the next request gets a new one where there is one to get. */
  invalidate(): void {
    this.#exec = null;
  }

  /** Ends a plugin that is running. */
  close(): void {
    this.#closing.abort();
  }

  async #getToken(user: UserEntry): Promise<string | null> {
    if (user.tokenFile !== null) {
      const token = (await this.#read(user.tokenFile, "token")).trim();
      if (token !== "") return token;
      // A file that is being replaced may be empty for a moment.
      if (user.token === null) throw new CredentialError(`the token file ${user.tokenFile} is empty`);
    }
    if (user.token !== null) return user.token;
    return user.hasOidcProvider ? this.#getIdToken(user) : null;
  }

  /**
   * The ID token as it stands in the kubeconfig now. It is not refreshed: a provider that rotates refresh tokens would
   * then refuse the one kubectl holds, and we write to no file. kubectl and exec plugins refresh it.
   */
  async #getIdToken(user: UserEntry): Promise<string> {
    const current = parseKubeconfig(await this.#read(user.file, "kubeconfig"), user.file);
    const token = current.users.get(user.name)?.oidcIdToken ?? null;
    const expired = token === null ? null : expiryOf(token);
    const again = "sign in with kubectl, or use an exec plugin, which refreshes it by itself";
    if (token === null)
      throw new CredentialError(`user ${JSON.stringify(user.name)} has no id-token: ${again}`);
    if (expired !== null && expired <= this.#options.clock.now()) {
      throw new CredentialError(`the id-token of user ${JSON.stringify(user.name)} has expired: ${again}`);
    }
    this.#remember(token);
    return token;
  }

  async #getExec(certificateAuthority: string | null): Promise<ExecCredential> {
    const now = this.#options.clock.now();
    const kept = this.#exec?.credential;
    if (kept !== undefined && (kept.expiresAt === null || now < kept.expiresAt)) return kept;
    if (this.#execFailure !== null && now < this.#execFailure.until) throw this.#execFailure.error;
    this.#execRun ??= this.#runExec(certificateAuthority).finally(() => {
      this.#execRun = null;
    });
    return this.#execRun;
  }

  async #runExec(certificateAuthority: string | null): Promise<ExecCredential> {
    const { user, cluster, env, clock, execTimeoutSeconds } = this.#options;
    if (user?.exec == null) throw new CredentialError("there is no exec plugin");
    try {
      const credential = await runExecPlugin({
        exec: user.exec,
        cluster,
        certificateAuthority,
        env,
        signal: this.#closing.signal,
        ...(execTimeoutSeconds === undefined ? {} : { timeoutSeconds: execTimeoutSeconds }),
      });
      this.#remember(credential.token);
      this.#remember(credential.clientKey);
      this.#exec = { credential };
      this.#execFailure = null;
      return credential;
    } catch (error) {
      this.#execFailure = { error, until: clock.now() + EXEC_FAILURE_SECONDS * 1000 };
      throw error;
    }
  }

  async #readPem(path: string | null, what: string): Promise<string | null> {
    if (path === null) return null;
    const pem = await this.#read(path, what);
    if (!pem.includes("-----BEGIN ")) throw new CredentialError(`the ${what} file ${path} holds no PEM`);
    return pem;
  }

  async #read(path: string, what: string): Promise<string> {
    try {
      const text = await readSmallFile(path, MAX_FILE_BYTES);
      if (what === "token" || what === "client key") this.#remember(text.trim());
      return text;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      throw new CredentialError(`the ${what} file ${path} cannot be read (${code})`);
    }
  }

  #checkHeader(value: string, what: string): string {
    // Anything else would break the header, and undici's error would quote it.
    if (!/^[!-~]+$/.test(value))
      throw new CredentialError(`the ${what} holds characters that no header can carry`);
    return value;
  }

  #remember(secret: string | null): void {
    if (secret === null || secret === "") return;
    this.#secrets.delete(secret);
    this.#secrets.add(secret);
    for (const oldest of this.#secrets) {
      if (this.#secrets.size <= REMEMBERED_SECRETS) break;
      this.#secrets.delete(oldest);
    }
  }
}

/** How the user authenticates, for pages; the first that applies, in the order in which they are used. */
export function credentialKindOf(user: UserEntry | null): CredentialKind {
  if (user === null) return "none";
  if (user.tokenFile !== null) return "token-file";
  if (user.token !== null) return "token";
  if (user.exec !== null) return "exec";
  if (user.hasOidcProvider) return "oidc";
  if (user.username !== null) return "basic";
  return user.clientCertificateFile !== null || user.clientCertificateData !== null
    ? "client-certificate"
    : "none";
}

function basicValue(user: UserEntry): string {
  return Buffer.from(`${user.username ?? ""}:${user.password ?? ""}`).toString("base64");
}

/** Source: k8s.io/api/authentication/v1 and client-go/transport/round_trippers.go, v0.34. */
function impersonationHeaders(impersonate: ImpersonateEntry): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { "impersonate-user": headerText(impersonate.user) };
  if (impersonate.uid !== null) headers["impersonate-uid"] = headerText(impersonate.uid);
  if (impersonate.groups.length > 0) headers["impersonate-group"] = impersonate.groups.map(headerText);
  for (const [key, values] of Object.entries(impersonate.extra)) {
    // Bytes that no header name may hold are percent-encoded, as client-go does.
    const name = key
      .toLowerCase()
      .replace(/[^!#$&'*+\-.^_`|~0-9a-z]/gu, (character) => encodeURIComponent(character));
    headers[`impersonate-extra-${name}`] = values.map(headerText);
  }
  return headers;
}

function headerText(value: string): string {
  if (/[^\t -~]/.test(value))
    throw new CredentialError("a name to act as holds characters that no header can carry");
  return value;
}

/** Milliseconds since the epoch at which a JWT expires; null where it does not say. */
function expiryOf(token: string): number | null {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const expiry: unknown =
      typeof payload === "object" && payload !== null ? Reflect.get(payload, "exp") : null;
    return typeof expiry === "number" ? expiry * 1000 : null;
  } catch {
    // Not a JWT: the API server decides.
    return null;
  }
}

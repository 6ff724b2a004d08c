import { dirname, isAbsolute, join, sep } from "node:path";
import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { KubeconfigError } from "./kubeconfig-error.ts";
import {
  ClusterEntrySchema,
  ContextEntrySchema,
  type KubeconfigCluster,
  KubeconfigSchema,
  type KubeconfigUser,
  UserEntrySchema,
} from "./kubeconfig-schema.ts";
import type { ClusterEntry, ExecEntry, UserEntry } from "./kubeconfig-types.ts";

/** Contexts of one file. */
export interface ContextEntry {
  readonly name: string;
  readonly file: string;
  readonly line: number | null;
  readonly clusterName: string;
  readonly userName: string | null;
  readonly namespace: string | null;
}

/** What one file holds. Entries that cannot be used are left out, each with a problem. */
export interface ParsedKubeconfig {
  readonly file: string;
  readonly currentContext: string | null;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  /** Names of clusters and users that are in the file and cannot be used: `cluster a`, `user b`. */
  readonly broken: ReadonlySet<string>;
  readonly problems: readonly KubeconfigError[];
}

const EXEC_EXTENSION = "client.authentication.k8s.io/exec";
const EXEC_API_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/**
 * Parses the text of a kubeconfig (YAML or JSON). Paths in it are resolved against the folder of `file`, data fields
 * decoded from base64.
 *
 * @throws KubeconfigError where the text as a whole is no kubeconfig
 */
export function parseKubeconfig(text: string, file: string): ParsedKubeconfig {
  const { document, lineOf } = parseYaml(text, file);
  const config = check(KubeconfigSchema, toValue(document, file));
  if (!config.success) throw toError(config.error, [], file, lineOf, null);
  const { clusters, users, contexts } = config.data;
  const problems: KubeconfigError[] = [];
  const broken = new Set<string>();

  /** Entries by name; what cannot be used becomes a problem. */
  const read = <Parsed extends { readonly name: string }, Out>(
    kind: Kind,
    entries: readonly unknown[],
    schema: z.ZodType<Parsed>,
    toEntry: (entry: Parsed, line: number | null) => Out,
  ): ReadonlyMap<string, Out> => {
    const byName = new Map<string, Out>();
    entries.forEach((entry, index) => {
      const path = [`${kind}s`, index];
      const name = nameOf(entry);
      const result = check(schema, entry);
      const line = lineOf(path);
      try {
        if (!result.success)
          throw toError(result.error, path, file, lineOf, name && `${kind} ${JSON.stringify(name)}`);
        if (byName.has(result.data.name))
          throw new RangeError("expected a name that is not used twice in the file");
        byName.set(result.data.name, toEntry(result.data, line));
      } catch (error) {
        if (error instanceof KubeconfigError) problems.push(error);
        else if (error instanceof RangeError) {
          const place = `${kind} ${JSON.stringify(name)}`;
          problems.push(new KubeconfigError({ file, line, place, expected: error.message }));
        } else throw error;
        broken.add(`${kind} ${name}`);
      }
    });
    return byName;
  };

  return {
    file,
    currentContext: config.data["current-context"],
    clusters: read("cluster", clusters, ClusterEntrySchema, (entry) => toCluster(entry, file)),
    users: read("user", users, UserEntrySchema, (entry) => toUser(entry, file)),
    contexts: read("context", contexts, ContextEntrySchema, ({ name, context }, line) => ({
      name,
      file,
      line,
      clusterName: context.cluster,
      userName: context.user,
      namespace: context.namespace,
    })),
    broken,
    problems,
  };
}

type Kind = "cluster" | "user" | "context";
type YamlPath = readonly (string | number)[];

function parseYaml(text: string, file: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" });
  const first = document.errors[0];
  if (first !== undefined) {
    // The parser's own message may quote the text, and with it a credential: only its code is passed on.
    const expected = `expected YAML or JSON (${first.code.toLowerCase().replaceAll("_", " ")})`;
    throw new KubeconfigError({ file, line: lines.linePos(first.pos[0]).line, place: null, expected });
  }
  /** Line of the node at the path, or of the nearest one around it. */
  const lineOf = (path: YamlPath): number | null => {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
    }
    return null;
  };
  return { document, lineOf };
}

function toValue(document: Document.Parsed, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new KubeconfigError({
      file,
      line: null,
      place: null,
      expected: "expected at most 100 uses of aliases",
    });
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown) {
  return schema.safeParse(value);
}

function toError(
  error: z.ZodError,
  prefix: YamlPath,
  file: string,
  lineOf: (path: YamlPath) => number | null,
  entry: string | null,
): KubeconfigError {
  const issue = error.issues[0];
  const path = [...prefix, ...(issue?.path ?? []).filter((step) => typeof step !== "symbol")];
  const steps = path.map((step, index) =>
    typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`,
  );
  const place = steps.length === 0 ? null : `${entry === null ? "" : `${entry}: `}${steps.join("")}`;
  return new KubeconfigError({
    file,
    line: lineOf(path),
    place,
    expected: issue?.message ?? "expected a kubeconfig",
  });
}

function nameOf(entry: unknown): string | null {
  const name: unknown = typeof entry === "object" && entry !== null ? Reflect.get(entry, "name") : null;
  return typeof name === "string" && name !== "" ? name : null;
}

/** @throws RangeError that says what was expected */
function toCluster({ name, cluster }: KubeconfigCluster, file: string): ClusterEntry {
  return {
    name,
    file,
    server: readServer(cluster.server),
    tlsServerName: cluster["tls-server-name"],
    insecureSkipTlsVerify: cluster["insecure-skip-tls-verify"],
    certificateAuthorityFile: resolvePath(cluster["certificate-authority"], file),
    certificateAuthorityData: readBase64(cluster["certificate-authority-data"], "certificate-authority-data"),
    proxyUrl: readProxyUrl(cluster["proxy-url"]),
    disableCompression: cluster["disable-compression"],
    execConfig: cluster.extensions.find((extension) => extension.name === EXEC_EXTENSION)?.extension ?? null,
  };
}

/** @throws RangeError that says what was expected */
function toUser({ name, user }: KubeconfigUser, file: string): UserEntry {
  const certificate = user?.["client-certificate"] ?? user?.["client-certificate-data"] ?? null;
  const key = user?.["client-key"] ?? user?.["client-key-data"] ?? null;
  if ((certificate === null) !== (key === null)) {
    throw new RangeError(
      certificate === null
        ? "expected client-certificate or client-certificate-data beside the client key"
        : "expected client-key or client-key-data beside the client certificate",
    );
  }
  const provider = user?.["auth-provider"] ?? null;
  if (provider !== null && provider.name !== "oidc") {
    throw new RangeError(
      `the auth-provider ${JSON.stringify(provider.name)} is gone since Kubernetes 1.26: expected an exec plugin`,
    );
  }
  const hasImpersonation = user !== null && (user["as-uid"] !== null || user["as-groups"].length > 0);
  if (
    user !== null &&
    user.as === null &&
    (hasImpersonation || Object.keys(user["as-user-extra"]).length > 0)
  ) {
    throw new RangeError("expected `as` beside as-uid, as-groups or as-user-extra");
  }
  return {
    name,
    file,
    clientCertificateFile: resolvePath(user?.["client-certificate"] ?? null, file),
    clientCertificateData: readBase64(user?.["client-certificate-data"] ?? null, "client-certificate-data"),
    clientKeyFile: resolvePath(user?.["client-key"] ?? null, file),
    clientKeyData: readBase64(user?.["client-key-data"] ?? null, "client-key-data"),
    token: user?.token ?? null,
    tokenFile: resolvePath(user?.tokenFile ?? null, file),
    username: user?.username ?? null,
    password: user?.password ?? null,
    exec: user?.exec ? toExec(user.exec, file) : null,
    hasOidcProvider: provider !== null,
    oidcIdToken: provider?.config?.["id-token"] ?? null,
    impersonate:
      user === null || user.as === null
        ? null
        : { user: user.as, uid: user["as-uid"], groups: user["as-groups"], extra: user["as-user-extra"] },
  };
}

function toExec(exec: NonNullable<NonNullable<KubeconfigUser["user"]>["exec"]>, file: string): ExecEntry {
  if (!EXEC_API_VERSIONS.includes(exec.apiVersion)) {
    throw new RangeError(`exec.apiVersion: expected ${EXEC_API_VERSIONS.join(" or ")}`);
  }
  const isPath = exec.command.includes("/") || exec.command.includes(sep);
  return {
    apiVersion: exec.apiVersion,
    command: isPath ? (resolvePath(exec.command, file) ?? exec.command) : exec.command,
    args: exec.args,
    env: Object.fromEntries(exec.env.map(({ name, value }) => [name, value])),
    installHint: exec.installHint,
    provideClusterInfo: exec.provideClusterInfo,
    interactiveMode: exec.interactiveMode,
  };
}

function resolvePath(path: string | null, file: string): string | null {
  return path === null || isAbsolute(path) ? path : join(dirname(file), path);
}

function readServer(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new RangeError("server: expected a URL that begins with https:// or http://");
  }
  if (url.search !== "" || url.hash !== "")
    throw new RangeError("server: expected a URL without query and fragment");
  url.username = "";
  url.password = "";
  return url.href.replace(/\/+$/, "");
}

function readProxyUrl(proxyUrl: string | null): string | null {
  if (proxyUrl === null) return null;
  const protocol = URL.canParse(proxyUrl) ? new URL(proxyUrl).protocol : "";
  if (!["http:", "https:", "socks5:", "socks5h:"].includes(protocol)) {
    throw new RangeError("proxy-url: expected a URL that begins with http://, https:// or socks5://");
  }
  return proxyUrl;
}

function readBase64(data: string | null, field: string): string | null {
  if (data === null) return null;
  const compact = data.replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) throw new RangeError(`${field}: expected base64`);
  const decoded = Buffer.from(compact, "base64").toString("utf8");
  if (!decoded.includes("-----BEGIN ")) throw new RangeError(`${field}: expected base64 of PEM`);
  return decoded;
}

import { delimiter, join, resolve } from "node:path";
import { ClusterTarget } from "./cluster-target.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import type { KubeconfigInput, KubeconfigSource } from "./kubeconfig-types.ts";
import { type ContextEntry, type ParsedKubeconfig, parseKubeconfig } from "./parse-kubeconfig.ts";
import { readSmallFile } from "./read-small-file.ts";

/** What a kubeconfig gave. Targets and problems may both be there: one broken context does not hide the others. */
export interface LoadedKubeconfig {
  /** In the order of the files, then of the contexts in them, or as they were named. */
  readonly targets: readonly ClusterTarget[];
  readonly problems: readonly KubeconfigError[];
}

/** Largest file that is taken for a kubeconfig. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * Reads one kubeconfig or several, merged as kubectl merges them: the first file to set a cluster, user, context or
 * the current context wins, as a whole; relative paths are resolved against the file they stand in. Nothing is run and
 * no file they name is read yet. Never throws for what the files hold.
 */
export async function loadKubeconfig(input: KubeconfigInput): Promise<LoadedKubeconfig> {
  const problems: KubeconfigError[] = [];
  const parsed: ParsedKubeconfig[] = [];
  let missing: KubeconfigError | null = null;
  for (const path of input.paths.map((each) => resolve(each))) {
    try {
      const one = parseKubeconfig(await readKubeconfig(path), path);
      parsed.push(one);
      problems.push(...one.problems);
    } catch (error) {
      if (!(error instanceof KubeconfigError)) throw error;
      if (error instanceof MissingKubeconfigError && input.paths.length > 1) missing ??= error;
      else problems.push(error);
    }
  }
  if (parsed.length === 0) {
    if (problems.length === 0 && missing !== null) problems.push(missing);
    return { targets: [], problems };
  }
  const targets: ClusterTarget[] = [];
  for (const context of selectContexts(parsed, input, problems)) {
    const target = toTarget(context, parsed, input.source);
    if (target instanceof KubeconfigError) problems.push(target);
    else if (target !== null) targets.push(target);
  }
  return { targets, problems };
}

/** Files that kubectl would read: those of `KUBECONFIG`, else `~/.kube/config`. */
export function defaultKubeconfigPaths(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const listed = (env.KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  if (listed.length > 0) return listed;
  return env.HOME === undefined || env.HOME === "" ? [] : [join(env.HOME, ".kube", "config")];
}

class MissingKubeconfigError extends KubeconfigError {}

async function readKubeconfig(path: string): Promise<string> {
  const fail = (expected: string) => new KubeconfigError({ file: path, line: null, place: null, expected });
  try {
    return await readSmallFile(path, MAX_FILE_BYTES);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code === "ENOENT" || code === "ENOTDIR") {
      const expected = "expected a kubeconfig here; the file does not exist";
      throw new MissingKubeconfigError({ file: path, line: null, place: null, expected });
    }
    if (code === "EACCES") throw fail("expected a kubeconfig that this process may read");
    if (code === "too long") throw fail(`expected a kubeconfig of at most ${MAX_FILE_BYTES} bytes`);
    if (code === "not a regular file") throw fail("expected a regular file");
    if (code === "EISDIR") throw fail("expected a file, found a folder");
    throw fail(`expected a kubeconfig that can be read (${code})`);
  }
}

function selectContexts(
  parsed: readonly ParsedKubeconfig[],
  input: KubeconfigInput,
  problems: KubeconfigError[],
): readonly ContextEntry[] {
  const byName = new Map<string, ContextEntry>();
  for (const config of parsed) {
    for (const [name, context] of config.contexts) if (!byName.has(name)) byName.set(name, context);
  }
  const file = parsed.map((config) => config.file).join(delimiter);
  const fail = (place: string | null, expected: string) =>
    problems.push(new KubeconfigError({ file, line: null, place, expected }));
  if (input.contexts?.includes("*")) {
    if (byName.size === 0) fail(null, "expected at least one context");
    return [...byName.values()];
  }
  const current = parsed.find((config) => config.currentContext !== null)?.currentContext ?? null;
  const names = input.contexts ?? (current === null ? [] : [current]);
  if (names.length === 0)
    fail("current-context", "expected a current context, or the names of contexts to read");
  const known = [...byName.keys()].slice(0, 20).map((name) => JSON.stringify(name));
  return [...new Set(names)].flatMap((name) => {
    const context = byName.get(name);
    if (context !== undefined) return [context];
    const expected = known.length === 0 ? "the file holds no context" : `expected one of ${known.join(", ")}`;
    fail(`context ${JSON.stringify(name)}`, expected);
    return [];
  });
}

/** null where a problem of the cluster or user has been reported already. */
function toTarget(
  context: ContextEntry,
  parsed: readonly ParsedKubeconfig[],
  source: KubeconfigSource,
): ClusterTarget | KubeconfigError | null {
  const place = `context ${JSON.stringify(context.name)}`;
  const fail = (expected: string) =>
    new KubeconfigError({ file: context.file, line: context.line, place, expected });
  const isBroken = (what: string) => parsed.some((config) => config.broken.has(what));
  const cluster = findFirst(parsed, (config) => config.clusters.get(context.clusterName));
  if (cluster === undefined) {
    if (isBroken(`cluster ${context.clusterName}`)) return null;
    return fail(`expected a cluster named ${JSON.stringify(context.clusterName)}`);
  }
  const { userName } = context;
  const user = userName === null ? null : findFirst(parsed, (config) => config.users.get(userName));
  if (user === undefined) {
    if (isBroken(`user ${userName}`)) return null;
    return fail(`expected a user named ${JSON.stringify(userName)}`);
  }
  if (source === "page" && user !== null && (user.exec !== null || user.hasOidcProvider)) {
    const what = user.exec !== null ? "an exec plugin" : "an auth-provider";
    return fail(
      `user ${JSON.stringify(user.name)} authenticates by ${what}, which is run only for a kubeconfig named by a flag, the environment or the configuration file, never for one named on the page`,
    );
  }
  return new ClusterTarget({ name: context.name, source, namespace: context.namespace, cluster, user });
}

function findFirst<T>(
  parsed: readonly ParsedKubeconfig[],
  pick: (config: ParsedKubeconfig) => T | undefined,
): T | undefined {
  for (const config of parsed) {
    const found = pick(config);
    if (found !== undefined) return found;
  }
  return undefined;
}

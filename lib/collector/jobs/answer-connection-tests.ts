import type { ConnectionTest, ConnectionTestResult, PermissionState, Store } from "../../db/store.ts";
import { PERMISSIONS, type Permission } from "../../domain/clusters/permissions.ts";
import {
  type ApiServerClient,
  ApiServerError,
  type KubeClock,
  KubeconfigError,
  loadKubeconfig,
} from "../../kube/index.ts";
import { findReadFailure, isWholeCluster } from "../pass/read-failure.ts";
import { type OpenCluster, openClusterTarget } from "../session/open-cluster.ts";
import { readClusterUid, VERSION_PATH } from "../version/read-version.ts";

export interface ConnectionTestOptions {
  readonly store: Pick<Store, "connectionTests" | "clusters">;
  readonly clock: KubeClock;
  readonly random: () => number;
  readonly onError: (what: string, error: unknown) => void;
}

/** The page waits 10 s; answering takes the rest. */
const TEST_SECONDS = 7.5;
/** More at once wait for the next turn. */
const TESTS_AT_ONCE = 4;
const REQUEST_LIMITS = { headersSeconds: 4, totalSeconds: 5 };
/** Enough for one of everything, and nothing more. */
const TEST_BUDGET = { requestsPerMinute: 60, bytesPerMinute: 16 * 1024 * 1024 };

/** Takes the waiting tests and answers them, several at once; resolves when they are answered. */
export async function answerConnectionTests(
  options: ConnectionTestOptions,
  signal: AbortSignal,
): Promise<void> {
  const claimed: ConnectionTest[] = [];
  while (claimed.length < TESTS_AT_ONCE) {
    const test = await options.store.connectionTests.claim(options.clock.now());
    if (test === null) break;
    claimed.push(test);
  }
  await Promise.all(claimed.map((test) => answerOne(test, options, signal)));
}

async function answerOne(
  test: ConnectionTest,
  options: ConnectionTestOptions,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, onError } = options;
  let result: ConnectionTestResult;
  try {
    result = await testConnection(test, options, signal);
  } catch (error) {
    signal.throwIfAborted();
    onError("connection test", error);
    result = { ...NOTHING, error: "The test could not be carried out; the collector's log has the error." };
  }
  await store.connectionTests.answer(
    test.id,
    result.error === null ? "succeeded" : "failed",
    result,
    clock.now(),
  );
}

const NOTHING: ConnectionTestResult = {
  error: null,
  gitVersion: null,
  clusterUid: null,
  knownClusterId: null,
  contexts: [],
  permissions: {},
  isInsecure: false,
};

/**
 * What a kubeconfig and a context lead to: version, UID, and which permissions of the minimal role are granted. A path
 * from the page runs no program. Never throws for what the file or the cluster hold.
 */
export async function testConnection(
  test: Pick<ConnectionTest, "kubeconfigPath" | "context">,
  {
    store,
    clock,
    random,
  }: Pick<ConnectionTestOptions, "clock" | "random"> & {
    readonly store: Pick<Store, "clusters">;
  },
  signal: AbortSignal,
): Promise<ConnectionTestResult> {
  const paths = [test.kubeconfigPath];
  const all = await loadKubeconfig({ paths, contexts: ["*"], source: "page" });
  const contexts = all.targets.map(({ name }) => name).sort();
  const wanted = await loadKubeconfig({
    paths,
    ...(test.context === null ? {} : { contexts: [test.context] }),
    source: "page",
  });
  const [target] = wanted.targets;
  if (target === undefined) {
    const problem = wanted.problems[0] ?? all.problems[0];
    return { ...NOTHING, contexts, error: problem?.message ?? "The file names no context that can be read." };
  }
  const base = { ...NOTHING, contexts, isInsecure: target.insecureSkipTlsVerify };
  let opened: OpenCluster | null = null;
  try {
    opened = openClusterTarget(target, target.name, { clock, random, limits: TEST_BUDGET });
    const client = opened.client.scoped({ signal, deadlineAt: clock.now() + TEST_SECONDS * 1000 });
    return { ...base, ...(await readWhatItLeadsTo(client, store, clock)) };
  } catch (error) {
    if (error instanceof KubeconfigError) return { ...base, error: error.message };
    const failure = findReadFailure(error, null);
    if (failure === null || failure.reason === "aborted") throw error;
    return { ...base, error: failure.message };
  } finally {
    await opened?.close();
  }
}

async function readWhatItLeadsTo(
  client: ApiServerClient,
  store: Pick<Store, "clusters">,
  clock: KubeClock,
): Promise<Partial<ConnectionTestResult>> {
  const { value } = await client.getJson(VERSION_PATH, { limits: REQUEST_LIMITS });
  const gitVersion =
    typeof value === "object" && value !== null && "gitVersion" in value ? String(value.gitVersion) : null;
  if (gitVersion === null)
    return { error: "What answers there is no API server: its /version holds no gitVersion." };
  const permissions: Record<string, PermissionState> = {};
  let clusterUid: string | null = null;
  for (const permission of PERMISSIONS) {
    const state = await checkPermission(client, permission, async () => {
      if (permission.id !== "get-namespace-kube-system") return false;
      clusterUid = await readClusterUid(client);
      return true;
    });
    if (state !== null) permissions[permission.id] = { state, at: clock.now() };
  }
  const known =
    clusterUid === null ? null : (await store.clusters.list()).find(({ uid }) => uid === clusterUid);
  return { gitVersion, clusterUid, knownClusterId: known?.id ?? null, permissions };
}

/** `null` where it could not be told: a time limit, an error of the server. */
async function checkPermission(
  client: ApiServerClient,
  permission: Permission,
  special: () => Promise<boolean>,
): Promise<PermissionState["state"] | null> {
  try {
    if (!(await special())) await askFor(client, permission);
    return "granted";
  } catch (error) {
    const failure = findReadFailure(error, null);
    if (failure === null || failure.reason === "aborted") throw error;
    if (failure.reason === "forbidden") return "refused";
    // The answer began, so it was allowed; it is only too long to be read for this.
    if (failure.reason === "too-large") return "granted";
    if (isWholeCluster(failure) && error instanceof ApiServerError && failure.reason === "unauthorized")
      throw error;
    return null;
  }
}

async function askFor(client: ApiServerClient, permission: Permission): Promise<void> {
  if (permission.kind === "non-resource") {
    const path = permission.nonResourceUrl.replace(/\*$/, "dump_priority_levels");
    await client.getText(path, { limits: { ...REQUEST_LIMITS, decodedBytes: 64 * 1024 } });
    return;
  }
  const { apiGroup, resource, resourceName, scope } = permission;
  const version = apiGroup === "flowcontrol.apiserver.k8s.io" ? await findFlowControlVersion(client) : "v1";
  const base = apiGroup === "" ? "/api/v1" : `/apis/${apiGroup}/${version}`;
  const namespace = scope === "cluster" ? "" : `/namespaces/${scope.namespace}`;
  const path = `${base}${namespace}/${resource}`;
  if (resourceName !== null) await client.getJson(`${path}/${resourceName}`, { limits: REQUEST_LIMITS });
  else await client.count(path, { limits: REQUEST_LIMITS });
}

/** The group names its preferred version; anybody who is signed in may read it. */
async function findFlowControlVersion(client: ApiServerClient): Promise<string> {
  const { value } = await client.getJson("/apis/flowcontrol.apiserver.k8s.io", { limits: REQUEST_LIMITS });
  const preferred =
    typeof value === "object" && value !== null && "preferredVersion" in value
      ? value.preferredVersion
      : null;
  return typeof preferred === "object" && preferred !== null && "version" in preferred
    ? String(preferred.version)
    : "v1";
}

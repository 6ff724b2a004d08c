import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { type Availability, absent, present } from "./availability.ts";
import { cacheDirectory } from "./cache-directory.ts";
import { type ComponentName, recipesFor } from "./recipes.ts";
import { minorOf, resolveVersion, resolveVersions } from "./versions.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Paths of what one control plane runs. What is null was neither given nor built. */
export interface Binaries {
  readonly version: string;
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string | null;
  readonly kubeScheduler: string | null;
  readonly kwok: string | null;
  readonly seed: string | null;
  readonly storm: string | null;
  /** True when kube-apiserver is the one from KUBEBUILDER_ASSETS, whose identity cannot be set. */
  readonly fromAssets: boolean;
}

const BUILD_COMMAND = "node e2e/testbed/build.ts";

/**
 * The full versions to test: those of HEADROOM_TESTBED_VERSIONS; else the one in KUBEBUILDER_ASSETS; else the
 * newest.
 */
export function chosenVersions(env: Environment = process.env): readonly string[] {
  const assets = assetsOf(env);
  if (!env.HEADROOM_TESTBED_VERSIONS?.trim() && assets) return [assets.version];
  return resolveVersions(env.HEADROOM_TESTBED_VERSIONS);
}

/** Finds the binaries of a version (`1.33`, `1.33.13`) without building anything. */
export function findBinaries(version: string, env: Environment = process.env): Availability<Binaries> {
  const assets = assetsOf(env);
  const resolved = assets && sameMinor(assets.version, version) ? assets.version : resolveVersion(version);
  const fromAssets = resolved === assets?.version;
  const recipes = recipesFor(resolved, cacheDirectory(env));
  const built = (name: ComponentName) =>
    isExecutable(recipes[name].binaryPath) ? recipes[name].binaryPath : null;

  const etcd = assets?.etcd ?? built("etcd");
  const kubeApiserver = fromAssets ? assets.kubeApiserver : built("kube-apiserver");
  if (etcd === null || kubeApiserver === null) {
    return absent(
      `kube-apiserver ${resolved} is not built yet`,
      `run ${BUILD_COMMAND} --versions ${resolved} (12 minutes or more on two cores, once)`,
    );
  }
  return present({
    version: resolved,
    etcd,
    kubeApiserver,
    kubeControllerManager: built("kube-controller-manager"),
    kubeScheduler: built("kube-scheduler"),
    kwok: built("kwok"),
    seed: built("seed"),
    storm: built("storm"),
    fromAssets,
  });
}

/** What is still to build for a version, in the order in which to build it. */
export function missingComponents(version: string, env: Environment = process.env): readonly ComponentName[] {
  const found = findBinaries(version, env);
  const recipes = recipesFor(
    found.available ? found.value.version : resolveVersion(version),
    cacheDirectory(env),
  );
  const given: ComponentName[] = found.available && found.value.fromAssets ? ["kube-apiserver", "etcd"] : [];
  const order: ComponentName[] = [
    "etcd",
    "seed",
    "storm",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
  ];
  return order.filter((name) => !given.includes(name) && !isExecutable(recipes[name].binaryPath));
}

export interface Assets {
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly version: string;
}

const assetsByDirectory = new Map<string, Assets | null>();

/** etcd and kube-apiserver of KUBEBUILDER_ASSETS, the variable that controller tests use; null without. */
function assetsOf(env: Environment): Assets | null {
  const directory = env.KUBEBUILDER_ASSETS;
  if (!directory) return null;
  const known = assetsByDirectory.get(directory);
  if (known !== undefined) return known;
  const assets = readAssets(directory);
  assetsByDirectory.set(directory, assets);
  return assets;
}

function readAssets(directory: string): Assets | null {
  const etcd = join(directory, "etcd");
  const kubeApiserver = join(directory, "kube-apiserver");
  if (!isExecutable(etcd) || !isExecutable(kubeApiserver)) return null;
  const asked = spawnSync(kubeApiserver, ["--version"], { encoding: "utf8", timeout: 20_000 });
  const version = /v(1\.\d+\.\d+)/.exec(asked.stdout ?? "")?.[1];
  return version === undefined ? null : { etcd, kubeApiserver, version };
}

function sameMinor(assetsVersion: string, asked: string): boolean {
  const text = asked.trim().replace(/^v/, "");
  return text === assetsVersion || (/^1\.\d+$/.test(text) && minorOf(text) === minorOf(assetsVersion));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

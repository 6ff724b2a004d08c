import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ApiClient, type ApiRequest, type ApiResponse } from "./api-client.ts";
import { type ApiServer, startApiServer } from "./api-servers.ts";
import { TestBedUnavailableError } from "./availability.ts";
import { createBedDirectory, keepForReading } from "./bed-directory.ts";
import { type BedFiles, writeBedFiles } from "./bed-files.ts";
import { type Binaries, chosenVersions, findBinaries } from "./binaries.ts";
import { issueClientCertificate } from "./certificates.ts";
import { startEtcd } from "./etcd.ts";
import { Keeper } from "./keeper.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { freeLoopbackPorts } from "./loopback-ports.ts";
import { type Relay, startRelay } from "./relay.ts";
import { runSeeder, type SeedPlan, type SeedReport } from "./seed.ts";
import { controllerManagerFlags, kwokFlags, schedulerFlags } from "./server-flags.ts";
import {
  grantServiceAccount,
  type ServiceAccountAccess,
  type ServiceAccountOptions,
} from "./service-accounts.ts";
import { minorOf } from "./versions.ts";

/** Linux tells start times to 10 ms: servers that started within one tick could not be told apart by theirs. */
const START_APART_MS = 100;

export interface ControlPlaneOptions {
  /** `1.33` or `1.33.13`. Default: the first of the chosen versions (`HEADROOM_TESTBED_VERSIONS`, else the newest). */
  readonly version?: string;
  /** Default 1. Two share one etcd behind a relay, each with an identity of its own. */
  readonly apiServers?: 1 | 2;
  /** Written before the API servers start. */
  readonly seed?: SeedPlan;
  /**
   * Run kube-controller-manager, and kube-scheduler, which binds even the pods of DaemonSets: ServiceAccounts
   * appear, and DaemonSets roll if there are hollow nodes to run them. Default false.
   */
  readonly controllerManager?: boolean;
  /** Run kwok: nodes and pods become Ready, deleted pods go. Default false. */
  readonly hollowNodes?: boolean;
  /** More kube-apiserver flags; they win over the bed's own. */
  readonly apiServerFlags?: readonly string[];
  /** Environment of kube-apiserver, such as `GOMAXPROCS`. */
  readonly apiServerEnv?: Readonly<Record<string, string>>;
  /** Cores that each kube-apiserver may use, as taskset writes them (`0`, `0-1`). Default: all. */
  readonly apiServerCores?: string;
  /** One line for each request in the server's log, with its priority level and seats. Default false. */
  readonly accessLog?: boolean;
  /** How long each API server may take to be ready. Default 180, for a machine that does much else. */
  readonly readySeconds?: number;
}

/** A running control plane on 127.0.0.1. It ends with `stop()`, or with this process, however that ends. */
export interface ControlPlane extends AsyncDisposable {
  readonly version: string;
  /** What clients use: the one server, or the relay in front of two. */
  readonly url: string;
  /** Admin kubeconfig (system:masters, so exempt from API priority and fairness). */
  readonly kubeconfigPath: string;
  readonly adminToken: string;
  readonly authorityPem: string;
  readonly etcdUrl: string;
  readonly apiServers: readonly ApiServer[];
  /** Null with one server. */
  readonly relay: Relay | null;
  /** Logs (`<process>.log`), keys and kubeconfigs; removed by `stop()` unless HEADROOM_TESTBED_KEEP is set. */
  readonly directory: string;
  /** Asks `url`, or one server; as admin unless a token is given. */
  request(
    request: Omit<ApiRequest, "token"> & { readonly token?: string; readonly server?: ApiServer },
  ): Promise<ApiResponse>;
  /** What the seed plan of the options wrote; null without one. */
  readonly seeded: SeedReport | null;
  /** Writes more objects straight into etcd; the running servers see them as watch events. */
  seed(plan: SeedPlan): Promise<SeedReport>;
  /** A ServiceAccount with the rights named and no others, its token, and a kubeconfig with both. */
  serviceAccount(
    options: ServiceAccountOptions,
  ): Promise<ServiceAccountAccess & { readonly kubeconfigPath: string }>;
  /** A kubeconfig with a client certificate: the user and its groups. */
  clientCertificate(subject: { readonly userName: string; readonly groups?: readonly string[] }): {
    readonly kubeconfigPath: string;
  };
  /** Process ids of everything that runs, by name, the keeper among them. */
  pids(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

/**
 * Starts etcd and one or two kube-apiservers, ready to serve (about 7 s on idle cores). Builds nothing.
 *
 * @throws TestBedUnavailableError when binaries are missing; see `findBinaries` for a value instead.
 * @throws Error with the end of a log when a process fails to start.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const found = findBinaries(options.version ?? chosenVersions()[0] ?? "");
  if (!found.available) throw new TestBedUnavailableError(found);
  const directory = createBedDirectory();
  const keep = Boolean(process.env.HEADROOM_TESTBED_KEEP);
  if (keep) keepForReading(directory);
  const keeper = new Keeper(directory, { removeDirectory: !keep });
  const relays: Relay[] = [];
  try {
    return await assemble({ options, binaries: found.value, keeper, relays });
  } catch (error) {
    await Promise.all(relays.map((relay) => relay.close()));
    await keeper.close();
    throw error;
  }
}

interface Assembly {
  readonly options: ControlPlaneOptions;
  readonly binaries: Binaries;
  readonly keeper: Keeper;
  /** Filled on the way, so that a failure later on can close them. */
  readonly relays: Relay[];
}

async function assemble({ options, binaries, keeper, relays }: Assembly): Promise<ControlPlane> {
  const { directory } = keeper;
  const serverCount = options.apiServers ?? 1;
  const [clientPort = 0, peerPort = 0, managerPort = 0, schedulerPort = 0, kwokPort = 0, ...ports] =
    await freeLoopbackPorts(5 + serverCount);
  const serverPorts = ports.slice(0, serverCount);
  const relay = serverCount === 2 ? await startRelay(serverPorts) : null;
  if (relay) relays.push(relay);
  const url = `https://127.0.0.1:${relay?.port ?? serverPorts[0]}`;
  const files = writeBedFiles(directory, url);
  const processes = new Map<string, () => number | null>([["keeper", () => keeper.pid]]);

  const etcd = await startEtcd({ keeper, binary: binaries.etcd, clientPort, peerPort });
  processes.set("etcd", () => (etcd.process.hasEnded() ? null : etcd.process.pid));
  const seed = (plan: SeedPlan) =>
    runSeeder({
      binary: required(binaries.seed, "seed"),
      etcdUrl: etcd.url,
      kubernetesMinor: minorOf(binaries.version),
      plan,
    });
  const seeded = options.seed ? await seed(options.seed) : null;

  const apiServers = await Promise.all(
    serverPorts.map(async (port, index) => {
      await sleep(index * START_APART_MS);
      return startApiServer({
        keeper,
        binary: binaries.kubeApiserver,
        name: `kube-apiserver-${index}`,
        port,
        etcdUrl: etcd.url,
        authorityPem: files.authority.certificatePem,
        adminToken: files.adminToken,
        accessLog: options.accessLog ?? false,
        flags: options.apiServerFlags ?? [],
        env: options.apiServerEnv ?? {},
        cores: options.apiServerCores ?? null,
        readySeconds: options.readySeconds ?? 180,
      });
    }),
  );
  for (const server of apiServers) processes.set(server.name, server.pid);

  const startMore = async (name: string, binary: string | null, args: readonly string[]) => {
    const started = await keeper.start({ name, command: required(binary, name), args });
    processes.set(name, () => (started.hasEnded() ? null : started.pid));
  };
  if (options.controllerManager) {
    const flags = controllerManagerFlags(directory, managerPort);
    await startMore("kube-controller-manager", binaries.kubeControllerManager, flags);
    await startMore("kube-scheduler", binaries.kubeScheduler, schedulerFlags(directory, schedulerPort));
  }
  if (options.hollowNodes) {
    const stages = fileURLToPath(new URL("./stages.yaml", import.meta.url));
    await startMore("kwok", binaries.kwok, kwokFlags(directory, kwokPort, stages));
  }
  return handle({
    binaries,
    keeper,
    relay,
    url,
    files,
    etcdUrl: etcd.url,
    apiServers,
    processes,
    seed,
    seeded,
  });
}

function required(binary: string | null, name: string): string {
  if (binary !== null) return binary;
  throw new TestBedUnavailableError({
    because: `${name} is not built`,
    howToGet: "run node e2e/testbed/build.ts",
  });
}

interface HandleParts {
  readonly binaries: Binaries;
  readonly keeper: Keeper;
  readonly relay: Relay | null;
  readonly url: string;
  readonly files: BedFiles;
  readonly etcdUrl: string;
  readonly apiServers: readonly ApiServer[];
  readonly processes: ReadonlyMap<string, () => number | null>;
  readonly seed: (plan: SeedPlan) => Promise<SeedReport>;
  readonly seeded: SeedReport | null;
}

function handle(parts: HandleParts): ControlPlane {
  const { keeper, files, url, apiServers } = parts;
  const { directory } = keeper;
  const authorityPem = files.authority.certificatePem;
  const client = new ApiClient(url, authorityPem);
  const direct = new Map(apiServers.map((server) => [server, new ApiClient(server.url, authorityPem)]));
  let stopping: Promise<void> | null = null;
  let kubeconfigs = 0;

  const kubeconfig = (
    userName: string,
    credentials: Parameters<typeof writeKubeconfig>[0]["credentials"],
  ) => {
    const path = join(directory, `user-${kubeconfigs++}.kubeconfig`);
    return writeKubeconfig({ path, server: url, authorityPem, userName, credentials });
  };
  const stop = async () => {
    client.close();
    for (const one of direct.values()) one.close();
    await parts.relay?.close();
    await keeper.close();
  };
  const stopOnce = () => {
    stopping ??= stop();
    return stopping;
  };

  return {
    version: parts.binaries.version,
    url,
    kubeconfigPath: files.adminKubeconfigPath,
    adminToken: files.adminToken,
    authorityPem,
    etcdUrl: parts.etcdUrl,
    apiServers,
    relay: parts.relay,
    directory,
    seeded: parts.seeded,
    seed: parts.seed,
    request: ({ server, ...request }) =>
      ((server && direct.get(server)) ?? client).send({ token: files.adminToken, ...request }),
    serviceAccount: async (options) => {
      const access = await grantServiceAccount(options, {
        admin: client,
        adminToken: files.adminToken,
        servers: [...direct.values()],
      });
      return { ...access, kubeconfigPath: kubeconfig(access.userName, { token: access.token }) };
    },
    clientCertificate: ({ userName, groups = [] }) => {
      const certificate = issueClientCertificate(files.authority, {
        commonName: userName,
        organizations: groups,
      });
      return { kubeconfigPath: kubeconfig(userName, { certificate }) };
    },
    pids: () => {
      const entries = [...parts.processes].map(([name, pid]) => [name, pid()] as const);
      return Object.fromEntries(
        entries.filter((entry): entry is readonly [string, number] => entry[1] !== null),
      );
    },
    stop: stopOnce,
    [Symbol.asyncDispose]: stopOnce,
  };
}

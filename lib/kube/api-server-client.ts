import { BodyError } from "./body-error.ts";
import type { ClusterBudget } from "./budget.ts";
import type { ApiServerClient, CostMeter } from "./client-types.ts";
import { type KubeClock, systemClock } from "./clock.ts";
import type { ClusterTarget } from "./cluster-target.ts";
import { createCostMeter } from "./cost.ts";
import { configuredAddress, directAddress, type ServerAddress } from "./dispatcher.ts";
import type { GuardCapabilities } from "./guard.ts";
import { MetricsScanner } from "./metrics-scanner.ts";
import { countObjects, readAll, readList, readSamplePage } from "./read-list.ts";
import { readBytes, readJson, readText } from "./read-whole.ts";
import { type Reader, RequestSender, type SenderScope } from "./request-sender.ts";

/** What a client is made of. */
export interface ApiServerClientOptions {
  readonly target: ClusterTarget;
  /** Shared by everything that reads this cluster. */
  readonly budget: ClusterBudget;
  /** Name of the cluster in errors; default the name of the context. */
  readonly cluster?: string;
  readonly clock?: KubeClock;
  /** A number in [0, 1), for jitter. Default Math.random. */
  readonly random?: () => number;
  /** Environment of exec plugins. Default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly execTimeoutSeconds?: number;
  /** Beyond the guard rails; a pass never sets any. */
  readonly capabilities?: GuardCapabilities;
}

const METRICS_ACCEPT = "text/plain;version=0.0.4";

/**
 * A client of one cluster, at the address of its kubeconfig. Opens nothing and reads no file until the first read.
 * Close it to end its connections and exec plugins.
 */
export function createApiServerClient(options: ApiServerClientOptions): ApiServerClient {
  const { target, clock = systemClock, random = Math.random } = options;
  const sender = new RequestSender({
    cluster: options.cluster ?? target.name,
    entry: target.clusterEntry(),
    credentials: target.openCredentials({
      clock,
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.execTimeoutSeconds === undefined ? {} : { execTimeoutSeconds: options.execTimeoutSeconds }),
    }),
    budget: options.budget,
    clock,
    random,
    capabilities: options.capabilities ?? {},
  });
  const total = createCostMeter();
  return bind(sender, target, total, {
    address: configuredAddress(target.clusterEntry()),
    signals: [],
    deadlineAt: Number.POSITIVE_INFINITY,
    meters: [total],
  });
}

function bind(
  sender: RequestSender,
  target: ClusterTarget,
  total: CostMeter,
  scope: SenderScope,
): ApiServerClient {
  const reader: Reader = (request) => sender.open(scope, request);
  const derive = (change: Partial<SenderScope>) => bind(sender, target, total, { ...scope, ...change });
  const addressOf = (address: string, serverName?: string): ServerAddress =>
    directAddress(target.clusterEntry(), address, serverName ?? null);
  return {
    cluster: sender.cluster,
    server: scope.address.server,
    insecureSkipTlsVerify: target.insecureSkipTlsVerify,
    clock: sender.clock,
    withAddress: (address, options) => derive({ address: addressOf(address, options?.serverName) }),
    onConnection: (connection, { isOneServer = false } = {}) =>
      derive({ address: { ...scope.address, connection, isOneServer } }),
    renewConnection: () => sender.renew(scope.address),
    scoped: ({ signal, deadlineAt, meter }) =>
      derive({
        signals: signal === undefined ? scope.signals : [...scope.signals, signal],
        deadlineAt: Math.min(scope.deadlineAt, deadlineAt ?? Number.POSITIVE_INFINITY),
        meters: meter === undefined ? scope.meters : [...scope.meters, meter],
      }),
    cost: () => total.read(),
    getText: (path, options) => readText(reader, path, options),
    getJson: (path, options) => readJson(reader, path, options),
    getBytes: (path, options) => readBytes(reader, path, options),
    list: (path, options) => readList(reader, path, options),
    listAll: (path, options) => readAll(reader, path, options),
    samplePage: (path, options) => readSamplePage(reader, path, options),
    count: (path, options) => countObjects(reader, path, options),
    scanMetrics: async ({ path = "/metrics", names, onSample, ...options }) => {
      const response = await reader({ verb: "get", path, accept: METRICS_ACCEPT, ...options });
      const summary = await response.read(async (body) => {
        const type = response.headers["content-type"] ?? "";
        if (/\b(?:html|json)\b/i.test(type))
          throw new BodyError("bad-body", `this is no metrics page but ${type}`);
        const scanner = new MetricsScanner({ names, onSample });
        for await (const chunk of body) scanner.push(chunk);
        return scanner.end();
      });
      const { headers, connectionId } = response;
      return { ...summary, headers, connectionId, cost: response.cost() };
    },
    close: () => sender.close(),
  };
}

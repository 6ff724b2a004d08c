import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { Clock } from "../clock.ts";
import { type AnswerContext, answer } from "./answer.ts";
import { faultReply, isBodyFault } from "./fault-reply.ts";
import { type Fault, FaultSwitch } from "./faults.ts";
import { flowSchemaUid, priorityLevelUid } from "./flow-control-objects.ts";
import { kubeconfigOf } from "./kubeconfig.ts";
import { closeServer, listenOn, listenOnFreePort } from "./listen-on.ts";
import { uuidOf } from "./random.ts";
import { jsonReply, type Reply } from "./reply.ts";
import { type LoggedRequest, RequestLog } from "./request-log.ts";
import type { ClusterScenario } from "./scenario.ts";
import { sendReply } from "./send-reply.ts";
import { collectionsWithServers, identityLeaseName } from "./server-collections.ts";
import { StatusError, statusObject } from "./status.ts";
import { type WatchEvent, WatchHub } from "./watch.ts";

export interface FakeApiServerOptions {
  readonly scenario: ClusterScenario;
  /** Default: the system's. Lease times, metrics and objects follow it. */
  readonly clock?: Clock;
  /**
   * PEM texts; with them every address speaks TLS, without them plain HTTP. `ca` goes into the kubeconfig; by default
   * the certificate itself does, as for one that signed itself.
   */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
  /**
   * One address in front of all API servers. `connection`: each new connection goes to the next server, as a TCP load
   * balancer does; `request`: each request does. `none`: only the servers' own addresses.
   */
  readonly front?: "connection" | "request" | "none";
  /** Newest requests kept in the log. */
  readonly requestLogLimit?: number;
  /** How long snapshots are kept; older continue tokens and resource versions answer 410. */
  readonly historySeconds?: number;
  readonly bookmarkMs?: number;
}

export interface RunningServer {
  /** Host name, as the identity Lease has it. */
  readonly name: string;
  readonly identity: string;
  readonly url: string;
  readonly port: number;
}

export interface FakeApiServer {
  /** The shared address where there is one, else the first server's. */
  readonly url: string;
  /** Token of the scenario's first identity. */
  readonly token: string;
  readonly scenario: ClusterScenario;
  readonly servers: readonly RunningServer[];
  readonly requestLog: RequestLog;
  readonly faults: FaultSwitch;
  /** Closes the listening sockets of a server (or of `front`, or of all) so that connections are refused, or opens them again on the same ports. */
  setRefusing(which: string | "front" | "all", isRefusing: boolean): Promise<void>;
  /** Sends an event to the open watches of one resource, e.g. `("", "pods")`. */
  sendWatchEvent(group: string, resource: string, event: WatchEvent): void;
  openWatches(group: string, resource: string): number;
  /** A kubeconfig for this cluster as an object; write it with JSON.stringify, which is YAML too. */
  kubeconfig(): object;
  close(): Promise<void>;
}

interface Listener {
  readonly name: string;
  readonly server: Server;
  port: number;
}

const HOST = "127.0.0.1";

/** Starts a cluster's API servers on free ports of 127.0.0.1. Close it: it holds sockets and watches. */
export async function startFakeApiServer(options: FakeApiServerOptions): Promise<FakeApiServer> {
  const { scenario } = options;
  const running = new Cluster(options);
  await running.start();
  const token = scenario.identities[0].token;
  const servers = running.servers();
  const url = running.frontUrl() ?? servers[0]?.url ?? "";
  return {
    url,
    token,
    scenario,
    servers,
    requestLog: running.log,
    faults: running.faults,
    setRefusing: (which, isRefusing) => running.setRefusing(which, isRefusing),
    sendWatchEvent: (group, resource, event) => running.hub.send(`${group}/${resource}`, event),
    openWatches: (group, resource) => running.hub.openWatches(`${group}/${resource}`),
    kubeconfig: () =>
      kubeconfigOf({
        name: scenario.name,
        url,
        token,
        caPem: options.tls?.ca ?? options.tls?.cert,
      }),
    close: () => running.close(),
  };
}

class Cluster {
  readonly log: RequestLog;
  readonly faults = new FaultSwitch();
  readonly hub = new WatchHub();
  readonly #options: FakeApiServerOptions;
  readonly #listeners: Listener[] = [];
  readonly #backendOf = new WeakMap<Socket, number>();
  readonly #open = new Set<AbortController>();
  readonly #now: () => number;
  #context: AnswerContext | null = null;
  #nextBackend = 0;

  constructor(options: FakeApiServerOptions) {
    this.#options = options;
    this.log = new RequestLog(options.requestLogLimit ?? 10_000);
    const { clock } = options;
    this.#now = clock ? () => clock.now() : () => Date.now();
  }

  async start(): Promise<void> {
    const { scenario, front = "connection", historySeconds = 300, bookmarkMs = 60_000 } = this.#options;
    for (const [index, hostname] of scenario.servers.entries()) {
      this.#listeners.push(await this.#listen(hostname, () => index));
    }
    const addresses = this.#listeners.map(({ name, port }) => ({
      hostname: name,
      address: HOST,
      port,
      isTls: this.#options.tls !== undefined,
    }));
    this.#context = {
      scenario,
      collections: collectionsWithServers(scenario, addresses),
      hub: this.hub,
      historySeconds,
      bookmarkMs,
    };
    if (front === "none") return;
    this.#listeners.push(
      await this.#listen("front", (socket) =>
        front === "request" ? this.#takeBackend() : this.#backendFor(socket),
      ),
    );
  }

  servers(): RunningServer[] {
    return this.#listeners
      .filter(({ name }) => name !== "front")
      .map(({ name, port }) => ({ name, identity: identityLeaseName(name), url: this.#url(port), port }));
  }

  frontUrl(): string | null {
    const front = this.#listeners.find(({ name }) => name === "front");
    return front ? this.#url(front.port) : null;
  }

  async setRefusing(which: string, isRefusing: boolean): Promise<void> {
    for (const listener of this.#listeners) {
      if (which !== "all" && which !== listener.name) continue;
      if (isRefusing && listener.server.listening) await closeServer(listener.server);
      if (!isRefusing && !listener.server.listening) await listenOn(listener.server, listener.port);
    }
  }

  async close(): Promise<void> {
    for (const controller of this.#open) controller.abort();
    await this.setRefusing("all", true);
  }

  #url(port: number): string {
    return `${this.#options.tls ? "https" : "http"}://${HOST}:${port}`;
  }

  #takeBackend(): number {
    const backend = this.#nextBackend % this.#options.scenario.servers.length;
    this.#nextBackend += 1;
    return backend;
  }

  #backendFor(socket: Socket): number {
    const known = this.#backendOf.get(socket);
    if (known !== undefined) return known;
    const backend = this.#takeBackend();
    this.#backendOf.set(socket, backend);
    return backend;
  }

  async #listen(name: string, backendOf: (socket: Socket) => number): Promise<Listener> {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      const backend = backendOf(request.socket);
      this.#handle(request, response, { backend, isThroughFront: name === "front" }).catch(
        (error: unknown) => {
          response.destroy(error instanceof Error ? error : new Error(String(error)));
        },
      );
    };
    const { tls } = this.#options;
    const server = tls
      ? createHttpsServer({ cert: tls.cert, key: tls.key }, handle)
      : createHttpServer(handle);
    server.keepAliveTimeout = 120_000;
    server.on("clientError", (_error, socket) => socket.destroy());
    const port = await listenOnFreePort(server);
    return { name, server, port };
  }

  async #handle(
    request: IncomingMessage,
    response: ServerResponse,
    { backend, isThroughFront }: { backend: number; isThroughFront: boolean },
  ): Promise<void> {
    const { scenario } = this.#options;
    const server = scenario.servers[backend] ?? "";
    const url = new URL(request.url ?? "/", "http://host");
    const path = decodeURIComponent(url.pathname);
    const entry = this.log.open(
      logEntry(request, { path, query: url.searchParams, at: this.#now(), server, isThroughFront }),
    );
    const subject = { path, server, hasContinue: url.searchParams.has("continue") };
    const skewMs = this.faults.clockSkewSeconds(subject) * 1000;
    const availability = scenario.availabilityAt?.(backend, this.#now()) ?? "serving";
    const fault = availability === "serving" ? this.faults.take(subject) : ({ kind: availability } as const);
    if (fault?.kind === "reset") {
      request.socket.destroy();
      return;
    }
    // Never answered; the connection ends when the client gives up or the server closes.
    if (fault?.kind === "hang") return;

    const controller = new AbortController();
    this.#open.add(controller);
    response.once("close", () => {
      this.#open.delete(controller);
      controller.abort();
      entry.isFinished = true;
    });
    const reply = this.#replyTo(request, {
      path,
      query: url.searchParams,
      backend,
      skewMs,
      fault,
      signal: controller.signal,
    });
    entry.status = reply.status;
    this.#setCommonHeaders(response, skewMs, path);
    const acceptEncoding = request.headers["accept-encoding"] ?? "";
    await sendReply(response, {
      reply,
      acceptsGzip: /\bgzip\b/.test(String(acceptEncoding)),
      fault: isBodyFault(fault) ? fault : null,
      signal: controller.signal,
      onBytes: (bytes) => {
        entry.bytes += bytes;
      },
    });
  }

  #replyTo(
    request: IncomingMessage,
    input: {
      path: string;
      query: URLSearchParams;
      backend: number;
      skewMs: number;
      fault: Fault | null;
      signal: AbortSignal;
    },
  ): Reply {
    const { path, query, backend, skewMs, fault, signal } = input;
    const spoilt = fault === null ? null : faultReply(fault, path);
    if (spoilt) return spoilt;
    if (this.#context === null) throw new Error("The fake API server has not started.");
    try {
      return answer(
        {
          method: request.method ?? "GET",
          path,
          query,
          accept: request.headers.accept ?? "",
          authorization: request.headers.authorization,
          ifNoneMatch: request.headers["if-none-match"] ?? "",
          host: request.headers.host ?? HOST,
          serverIndex: backend,
          now: () => this.#now() + skewMs,
          metricsFillerBytes:
            fault?.kind === "huge-metrics" ? fault.bytes : (this.#options.scenario.metricsFillerBytes ?? 0),
          signal,
        },
        this.#context,
      );
    } catch (error) {
      if (error instanceof StatusError)
        return jsonReply(statusObject(error.status), error.status.code, error.headers);
      throw error;
    }
  }

  #setCommonHeaders(response: ServerResponse, skewMs: number, path: string): void {
    const { uid } = this.#options.scenario;
    response.setHeader("date", new Date(this.#now() + skewMs).toUTCString());
    response.setHeader("audit-id", uuidOf(`${uid}/${this.log.total}`));
    response.setHeader("cache-control", "no-cache, private");
    const isProbe = /^\/(healthz|livez|readyz)(\/|$)/.test(path);
    response.setHeader(
      "x-kubernetes-pf-flowschema-uid",
      flowSchemaUid(uid, isProbe ? "probes" : "service-accounts"),
    );
    response.setHeader(
      "x-kubernetes-pf-prioritylevel-uid",
      priorityLevelUid(uid, isProbe ? "exempt" : "workload-low"),
    );
  }
}

function logEntry(
  request: IncomingMessage,
  facts: { path: string; query: URLSearchParams; at: number; server: string; isThroughFront: boolean },
): Omit<LoggedRequest, "status" | "bytes" | "isFinished"> {
  const { authorization } = request.headers;
  const header = (name: string) => {
    const value = request.headers[name];
    return value === undefined ? null : String(value);
  };
  return {
    at: facts.at,
    server: facts.server,
    isThroughFront: facts.isThroughFront,
    method: request.method ?? "",
    path: facts.path,
    query: Object.fromEntries(facts.query),
    userAgent: header("user-agent"),
    accept: header("accept"),
    acceptEncoding: header("accept-encoding"),
    ifNoneMatch: header("if-none-match"),
    authorization:
      authorization === undefined ? "none" : /^bearer /i.test(authorization) ? "bearer" : "other",
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";
import { type ApiServerClientOptions, createApiServerClient } from "../api-server-client.ts";
import { ApiServerError } from "../api-server-error.ts";
import { type BudgetLimits, ClusterBudget } from "../budget.ts";
import type { ApiServerClient } from "../client-types.ts";
import { type KubeClock, systemClock } from "../clock.ts";
import { loadKubeconfig } from "../load-kubeconfig.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that ends with the test. */
export async function serve(handler: Handler, tls?: ServerOptions) {
  const requests: IncomingMessage[] = [];
  const listener: Handler = (request, response) => {
    requests.push(request);
    handler(request, response);
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    requests,
    paths: () => requests.map((request) => request.url),
  };
}

/** Listens on a free loopback port; the server is closed when the test ends. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return isAddress(address) ? address.port : 0;
}

function isAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

export interface ClientSetUp extends Partial<Omit<ApiServerClientOptions, "target" | "budget">> {
  readonly cluster?: string;
  readonly clusterFields?: Record<string, unknown>;
  readonly user?: Record<string, unknown>;
  readonly limits?: Partial<BudgetLimits>;
  readonly clock?: KubeClock;
}

/** A client of the server at `url`, by way of a kubeconfig on disk. */
export async function clientOf(url: string, setUp: ClientSetUp = {}) {
  const { clusterFields = {}, user = {}, limits = {}, clock = systemClock, ...options } = setUp;
  const folder = await temporaryFolder();
  const file = await folder.write(
    "config",
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: url, ...clusterFields } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    }),
  );
  const { targets, problems } = await loadKubeconfig({ paths: [file], source: "flag" });
  const [target] = targets;
  if (target === undefined) throw new Error(`no target: ${problems.map(String).join(", ")}`);
  const budget = new ClusterBudget({ clock, limits });
  const client: ApiServerClient = createApiServerClient({
    target,
    budget,
    clock,
    random: () => 0,
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, budget, folder, target };
}

/** The error a read ends in; anything else is a failure of the test. */
export async function failureOf(promise: Promise<unknown>): Promise<ApiServerError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ApiServerError) return error;
    throw error;
  }
  throw new Error("expected the read to fail");
}

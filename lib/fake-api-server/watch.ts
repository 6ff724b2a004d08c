import type { Collection, KubeObject } from "./collection.ts";
import type { Reply } from "./reply.ts";
import { type ClusterScenario, instantOfResourceVersion, resourceVersionAt } from "./scenario.ts";
import { parseSelectors } from "./selectors.ts";
import { invalid } from "./status.ts";

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED";

export interface WatchEvent {
  readonly type: WatchEventType;
  readonly object: KubeObject;
}

/** Events that a test or a scenario sends to the open watches of one resource. */
export class WatchHub {
  readonly #listeners = new Map<string, Set<(event: WatchEvent) => void>>();

  /** Call the result to stop listening. */
  listen(key: string, listener: (event: WatchEvent) => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(key, listeners);
    return () => listeners.delete(listener);
  }

  send(key: string, event: WatchEvent): void {
    for (const listener of this.#listeners.get(key) ?? []) listener(event);
  }

  openWatches(key: string): number {
    return this.#listeners.get(key)?.size ?? 0;
  }
}

export interface WatchRequest {
  readonly scenario: ClusterScenario;
  readonly collection: Collection;
  readonly version: string;
  readonly namespace: string;
  readonly query: URLSearchParams;
  readonly isWatchListOn: boolean;
  readonly now: () => number;
  readonly historySeconds: number;
  readonly bookmarkMs: number;
  readonly hub: WatchHub;
  readonly hubKey: string;
  readonly signal: AbortSignal;
}

/**
 * A watch: the state as ADDED events where the client asks for it, then events as they come, bookmarks, and an end
 * after `timeoutSeconds`. A resource version older than the history is answered by one ERROR event with a 410.
 * @throws StatusError 422 for a watch-list where the gate is off or its parameters do not fit.
 */
export function watchReply(request: WatchRequest): Reply {
  const { query } = request;
  const sendsInitial = query.get("sendInitialEvents");
  const isWatchList = sendsInitial !== null && sendsInitial !== "0" && sendsInitial !== "false";
  if (sendsInitial !== null && !request.isWatchListOn) {
    const text =
      "Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
    throw invalid("ListOptions", "sendInitialEvents", text);
  }
  if (isWatchList && query.get("resourceVersionMatch") !== "NotOlderThan") {
    const text = "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    throw invalid("ListOptions", "resourceVersionMatch", text);
  }
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: watchBody(request, isWatchList),
    compression: "never",
    isLongRunning: true,
  };
}

async function* watchBody(request: WatchRequest, isWatchList: boolean): AsyncGenerator<string> {
  const { query, scenario, collection } = request;
  const since = query.get("resourceVersion") ?? "";
  const started = request.now();
  if (since !== "" && since !== "0") {
    const asked = instantOfResourceVersion(scenario, since);
    if (Number.isNaN(asked) || started - asked > request.historySeconds * 1000) {
      yield line("ERROR", goneStatus(since));
      return;
    }
  }
  if (isWatchList || since === "" || since === "0") yield* initialEvents(request, started);
  const hasBookmarks = ["1", "true"].includes(query.get("allowWatchBookmarks") ?? "");
  if (isWatchList) {
    yield bookmark(request, { "k8s.io/initial-events-end": "true" });
  }
  const timeoutSeconds = Number(query.get("timeoutSeconds") ?? "0") || 1800;
  const endAt = performance.now() + timeoutSeconds * 1000;
  const queue: WatchEvent[] = [];
  let wake: () => void = () => undefined;
  const stop = request.hub.listen(request.hubKey, (event) => {
    queue.push(event);
    wake();
  });
  try {
    while (!request.signal.aborted && performance.now() < endAt) {
      const event = queue.shift();
      if (event) {
        if (request.namespace !== "" && event.object.metadata.namespace !== request.namespace) continue;
        yield line(event.type, typed(collection, request.version, event.object));
        continue;
      }
      const isQuiet = await pause(
        Math.min(request.bookmarkMs, endAt - performance.now()),
        request.signal,
        (fn) => {
          wake = fn;
        },
      );
      if (isQuiet && hasBookmarks && performance.now() < endAt && !request.signal.aborted) {
        yield bookmark(request, null);
      }
    }
  } finally {
    stop();
  }
}

function* initialEvents(request: WatchRequest, at: number): Generator<string> {
  const { collection, query, namespace, version } = request;
  const selects = parseSelectors(query.get("fieldSelector") ?? "", query.get("labelSelector") ?? "");
  for (let index = 0; index < collection.size(at); index++) {
    if (namespace !== "" && collection.keyAt(index, at).namespace !== namespace) continue;
    if (selects && !selects(collection, index, at)) continue;
    yield line("ADDED", typed(collection, version, collection.objectAt(index, at)));
  }
}

const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;

function typed(collection: Collection, version: string, object: KubeObject): object {
  return { kind: collection.type.kind, apiVersion: apiVersionOf(collection, version), ...object };
}

const apiVersionOf = ({ type }: Collection, version: string) =>
  type.group === "" ? version : `${type.group}/${version}`;

function bookmark(request: WatchRequest, annotations: Record<string, string> | null): string {
  const resourceVersion = resourceVersionAt(request.scenario, request.now());
  const metadata = { resourceVersion, creationTimestamp: null, ...(annotations ? { annotations } : {}) };
  const { collection, version } = request;
  return line("BOOKMARK", {
    kind: collection.type.kind,
    apiVersion: apiVersionOf(collection, version),
    metadata,
  });
}

const goneStatus = (resourceVersion: string) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `too old resource version: ${resourceVersion}`,
  reason: "Expired",
  code: 410,
});

/** True when the time passed without a wake-up. */
function pause(ms: number, signal: AbortSignal, onWake: (wake: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isQuiet: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(isQuiet);
    };
    const onAbort = () => finish(false);
    const timer = setTimeout(() => finish(true), Math.max(0, ms));
    signal.addEventListener("abort", onAbort, { once: true });
    onWake(() => finish(false));
  });
}

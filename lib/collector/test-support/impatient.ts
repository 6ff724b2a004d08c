import type { ApiServerClient, ReadOptions } from "../../kube/index.ts";

const SHORT = { headersSeconds: 0.4, totalSeconds: 0.8 };

/**
 * The client with short time limits for the paths given, so that a test of a hanging server takes no minutes; other
 * paths keep theirs, so that a busy machine changes no outcome.
 */
export function impatient(client: ApiServerClient, paths: RegExp): ApiServerClient {
  const shorten = <O extends Pick<ReadOptions, "limits">>(path: string, options: O): O =>
    paths.test(path) ? { ...options, limits: { ...options.limits, ...SHORT } } : options;
  return {
    ...client,
    withAddress: (address, options) => impatient(client.withAddress(address, options), paths),
    onConnection: (name, options) => impatient(client.onConnection(name, options), paths),
    scoped: (scope) => impatient(client.scoped(scope), paths),
    getText: (path, options = {}) => client.getText(path, shorten(path, options)),
    getJson: (path, options = {}) => client.getJson(path, shorten(path, options)),
    getBytes: (path, options = {}) => client.getBytes(path, shorten(path, options)),
    list: (path, options = {}) => client.list(path, shorten(path, options)),
    listAll: (path, options = {}) => client.listAll(path, shorten(path, options)),
    samplePage: (path, options) => client.samplePage(path, shorten(path, options)),
    count: (path, options = {}) => client.count(path, shorten(path, options)),
    scanMetrics: (options) => client.scanMetrics(shorten(options.path ?? "/metrics", options)),
  };
}

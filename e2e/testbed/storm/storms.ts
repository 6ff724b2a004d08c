import { CONFIG_MAPS, NODES, PODS, PODS_JSON, PODS_METADATA, type StormCase } from "./storm-case.ts";

const REDUCED = { requests: 60, mutating: 30 } as const;

/** Both versions see each of these: one before lists are priced by size, one with it. */
const SHAPES: readonly (Omit<StormCase, "version" | "seed"> & { readonly version?: string })[] = [
  storm("pods-50", { copies: 50 }),
  storm("pods-50-reduced", { copies: 50, inflight: REDUCED }),
  storm("pods-100-reduced", { copies: 100, inflight: REDUCED, limitSeconds: 300 }),
  storm("pods-json-50-reduced", { copies: 50, resources: [PODS_JSON], inflight: REDUCED, limitSeconds: 300 }),
  storm("pods-metadata-200", { copies: 200, resources: [PODS_METADATA] }),
  storm("nodes-200", { copies: 200, resources: [NODES] }),
  storm("nodes-1000", { copies: 1000, resources: [NODES], limitSeconds: 300 }),
  storm("config-maps-500", { copies: 500, resources: [CONFIG_MAPS] }),
  storm("config-maps-2000", { copies: 2000, resources: [CONFIG_MAPS], limitSeconds: 300 }),
  storm("nodes-and-config-maps-300", { copies: 300, resources: [NODES, CONFIG_MAPS] }),
  storm("nodes-gzip-200", { copies: 200, resources: [NODES], gzip: true }),
  storm("nodes-watch-list-200", { copies: 200, resources: [NODES], watchList: true }),
  storm("pods-watch-list-50", { copies: 50, watchList: true, limitSeconds: 300 }),
];

function storm(id: string, over: Partial<StormCase>): Omit<StormCase, "version" | "seed"> {
  return {
    id,
    copies: 50,
    startWindowSeconds: 1,
    resources: [PODS],
    watchList: false,
    gzip: false,
    inflight: null,
    limitSeconds: 200,
    ...over,
  };
}

/** All storms, those of one version and one limit together: a server is started once for each such group. */
export const STORMS: readonly StormCase[] = ["1.33", "1.37"].flatMap((version) =>
  SHAPES.map((shape, index) => ({ ...shape, id: `${version}-${shape.id}`, version, seed: index + 1 })),
);

/**
 * Healthy clusters in a process of their own, for benches: `node lib/fake-api-server/main.ts --clusters 200`.
 * Prints one line with addresses and tokens; see serve-process.ts for what it answers.
 */
import { parseArgs } from "node:util";
import { startFakeApiServer } from "./fake-api-server.ts";
import { buildScenario } from "./scenarios.ts";
import { serveUntilInputEnds } from "./serve-process.ts";

const { values } = parseArgs({
  options: {
    clusters: { type: "string", default: "1" },
    servers: { type: "string", default: "3" },
    nodes: { type: "string", default: "100" },
    pods: { type: "string" },
    workloads: { type: "string", default: "40" },
    version: { type: "string", default: "1.34.2" },
    seed: { type: "string", default: "seed" },
    "metrics-filler-bytes": { type: "string", default: "0" },
  },
});

const count = (name: string, text: string): number => {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new RangeError(`--${name} takes a whole number, not ${JSON.stringify(text)}.`);
};

const startedAt = Date.now() - 3 * 86_400_000;
const clusters = await Promise.all(
  Array.from({ length: count("clusters", values.clusters) }, async (_, index) => {
    const name = `cluster-${String(index).padStart(3, "0")}`;
    const scenario = buildScenario({
      name,
      startedAt,
      seed: values.seed,
      kubernetesVersion: values.version,
      servers: count("servers", values.servers),
      nodes: count("nodes", values.nodes),
      workloads: count("workloads", values.workloads),
      metricsFillerBytes: count("metrics-filler-bytes", values["metrics-filler-bytes"]),
      ...(values.pods === undefined ? {} : { pods: count("pods", values.pods) }),
    });
    return { server: await startFakeApiServer({ scenario, requestLogLimit: 100 }), labels: {} };
  }),
);
await serveUntilInputEnds(clusters);

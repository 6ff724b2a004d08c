/** The prices of `lib/domain/cost`: seat estimates per second on one core, from method, path and query strings. */
import { estimateSeats, type SeatsInput } from "../../lib/domain/cost/estimate-seats.ts";
import { runBench } from "./support/clean-up.ts";
import { median } from "./support/figure.ts";
import { progress, report } from "./support/report.ts";

const REQUESTS = 200_000;
const ROUNDS = 5;
const RUNS = 7;
const MILLION = 1_000_000;

await runBench(async () => {
  const requests = makeRequests();
  const warmUp = price(requests);
  const runs = Array.from({ length: RUNS }, () => {
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    for (let round = 0; round < ROUNDS; round++) {
      if (price(requests) !== warmUp) throw new Error("equal requests have different prices");
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    return { seconds, cpuSeconds: (cpu.user + cpu.system) / 1e6 };
  });
  const scale = MILLION / (REQUESTS * ROUNDS);
  const seconds = median(runs.map((run) => run.seconds)) * scale;
  const cpuSeconds = median(runs.map((run) => run.cpuSeconds)) * scale;
  progress(`${Math.round(MILLION / seconds)} estimates per second`);
  report(
    [
      { what: "1,000,000 seat estimates, one core (median)", value: seconds, unit: "seconds", aim: 1 },
      { what: "their CPU", value: cpuSeconds, unit: "seconds", aim: null },
    ],
    [
      `${Math.round(MILLION / seconds)} estimates per second, ${Math.round(MILLION / cpuSeconds)} per second of CPU; ${REQUESTS} different requests of 1.26 to 1.37, parsed from their strings each time`,
    ],
  );
});

function price(requests: readonly SeatsInput[]): number {
  let seats = 0;
  for (const request of requests) seats += estimateSeats(request).initialSeats;
  return seats;
}

/** Requests as a busy API server gets them: informers that start and watch, pages, kubelets, reads by name, writes. */
function makeRequests(): readonly SeatsInput[] {
  let state = 42;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
  const kinds: readonly (() => Pick<SeatsInput, "method" | "path" | "query">)[] = [
    () => ({ method: "GET", path: collection(), query: "limit=500&resourceVersion=0" }),
    () => ({ method: "GET", path: collection(), query: `resourceVersion=${random(1e9)}` }),
    () => ({
      method: "GET",
      path: collection(),
      query: `limit=500&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEi${random(1e9)}`,
    }),
    () => ({
      method: "GET",
      path: collection(),
      query: `allowWatchBookmarks=true&resourceVersion=${random(1e9)}&timeoutSeconds=${300 + random(300)}&watch=true`,
    }),
    () => ({
      method: "GET",
      path: collection(),
      query: `allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=${300 + random(300)}&watch=true`,
    }),
    () => ({
      method: "GET",
      path: "/api/v1/pods",
      query: `fieldSelector=spec.nodeName%3Dnode-${random(5000)}&limit=500&resourceVersion=0`,
    }),
    () => ({
      method: "GET",
      path: `/api/v1/namespaces/team-${random(200)}/configmaps`,
      query: `fieldSelector=metadata.name%3Dconfig-${random(5000)}&resourceVersion=0`,
    }),
    () => ({ method: "GET", path: `/api/v1/namespaces/team-${random(200)}/pods/web-${random(5000)}` }),
    () => ({
      method: "PATCH",
      path: `/api/v1/namespaces/team-${random(200)}/pods/web-${random(5000)}/status`,
    }),
    () => ({
      method: "PUT",
      path: `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-${random(5000)}`,
    }),
  ];
  const collection = () => {
    const namespace = random(2) === 0 ? "" : `namespaces/team-${random(200)}/`;
    return (
      [
        `/api/v1/${namespace}pods`,
        `/api/v1/${namespace}services`,
        `/apis/apps/v1/${namespace}deployments`,
        `/apis/discovery.k8s.io/v1/${namespace}endpointslices`,
      ][random(4)] ?? expectNever()
    );
  };
  const requests = Array.from({ length: REQUESTS }, () => ({
    v: `1.${26 + random(12)}.${random(14)}`,
    ...(kinds[random(kinds.length)] ?? expectNever)(),
    objects: random(100_000),
    size: 500 + random(20_000),
    plMax: 37,
    watchers: random(5000),
  }));
  // Strings as they come out of parsed input, not out of concatenation.
  return JSON.parse(JSON.stringify(requests)) as readonly SeatsInput[];
}

function expectNever(): never {
  throw new Error("no such kind of request");
}

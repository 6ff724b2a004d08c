import { describe, expect, test } from "vitest";
import { flowControlFixture } from "@/components/fixtures/flow-control-fixture";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import { prepareCollapse } from "../objects/prepare-collapse";
import { prepareDrift } from "../objects/prepare-drift";
import { prepareAnswer, resultLines, seatsText } from "./prepare-answer";
import type { RequestForm } from "./request-form";
import { EMPTY_FORM } from "./request-form.test-support";
import { requestMarkdown } from "./request-markdown";

const AGENT = { account: "scheduling/gpu-feature-agent" };
const ask = (form: Partial<RequestForm>, response: FlowControlResponse = flowControlFixture()) =>
  prepareAnswer({ ...EMPTY_FORM, ...AGENT, ...form }, response, "server-1");

function answered(form: Partial<RequestForm>, response?: FlowControlResponse) {
  const state = ask(form, response);
  if (state.state !== "answered") throw new Error(JSON.stringify(state));
  return state;
}
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");
const line = (state: ReturnType<typeof answered>, id: string) => {
  const found = resultLines(state).find((each) => each.id === id);
  return found && { lead: plain(found.lead), text: plain(found.sentences.join(" ")), isOpen: found.isOpen };
};
/** The fixture with something else stored of its servers. */
const withServers = (change: (server: FlowControlResponse["servers"][number]) => object) =>
  flowControlFixture({
    servers: flowControlFixture().servers.map((server) => ({ ...server, ...change(server) })),
  });

describe("the mock's question: LIST of all pods by the agent", () => {
  const state = answered({});

  test("service-accounts takes it, ten schemas were tried before and each says why not", () => {
    expect(line(state, "result")).toEqual({
      lead: "service-accounts → workload-low",
      text: "",
      isOpen: false,
    });
    const trace = state.match.classified?.trace ?? [];
    expect(trace.map(({ flowSchemaName }) => flowSchemaName).slice(-3)).toEqual([
      "kube-scheduler",
      "kube-system-service-accounts",
      "service-accounts",
    ]);
    for (const { mismatches } of trace.slice(0, -1)) expect(mismatches.length).toBeGreaterThan(0);
  });

  test("one flow by user, six of 128 queues, 300 may wait", () => {
    expect(line(state, "flow")?.lead).toBe("system:serviceaccount:scheduling:gpu-feature-agent");
    expect(line(state, "hand")).toMatchObject({
      lead: "85 45 61 31 105 87",
      text: expect.stringContaining("Of 128 queues; 6 × 50 = 300 requests of the flow can wait"),
    });
  });

  test("10 seats: capped at 1 MB of the cache, below the cap of the level", () => {
    expect(line(state, "price")).toEqual({
      lead: "10 seats",
      text: "1.34: size-based; from cache; 19 200 × 6.1 kB → capped at 1 MB → 10 seats",
      isOpen: false,
    });
    expect(state.price.facts.map(({ label, text }) => plain(`${label} ${text}`))).toEqual([
      "nominal limit of workload-low 245 seats, so one request takes at most 37 of it",
      "objects of pods 19 200",
      "stored bytes of pods ≈ 117 MB, 6.1 kB an object",
      "feature gates as api-1 publishes them",
    ]);
  });

  test("from the watch cache; what the server handles and what the client receives differ", () => {
    expect(line(state, "served")).toMatchObject({ lead: "from the watch cache", isOpen: false });
    expect(line(state, "served")?.text).toContain(
      "The API server goes through 19 200 objects, ≈ 117 MB; the client receives 19 200 objects, ≈ 154 MB as JSON.",
    );
  });

  test("as Markdown, with the user, the trace and what it rests on", () => {
    const text = plain(requestMarkdown(state).join("\n\n"));
    expect(text).toContain("`GET /api/v1/pods` by system:serviceaccount:scheduling:gpu-feature-agent");
    expect(text).toContain("| 9000 | service-accounts | matches: Group system:serviceaccounts by");
    expect(text).toContain("- Price: **10 seats**. 1.34: size-based");
    expect(text).toContain("Rests on nominal limit of workload-low 245 seats");
  });
});

describe("what is not known stays unknown", () => {
  test("a count that was not read makes the price a range and says which input is missing", () => {
    const state = answered(
      {},
      withServers(() => ({ countsFrom: null, resources: [] })),
    );
    expect(line(state, "price")).toMatchObject({ lead: "1 to 10 seats", isOpen: true });
    expect(line(state, "price")?.text).toContain("Not known more closely: objects of pods.");
    expect(line(state, "served")?.text).toContain("a number of objects that is not known");
  });

  test("a count that failed is a range too, up to the maximum of the level", () => {
    const state = answered({ resource: "widgets.example.io" });
    expect(line(state, "price")).toMatchObject({ lead: "1 to 10 seats", isOpen: true });
  });

  test("a price that does not hang on the unknown input is known", () => {
    const nothing = withServers(() => ({ countsFrom: null, resources: [] }));
    expect(line(answered({ verb: "get", name: "p" }, nothing), "price")).toMatchObject({ lead: "1 seat" });
    expect(line(answered({ verb: "watch" }, nothing), "price")).toMatchObject({
      lead: "1 seat",
      isOpen: false,
    });
  });

  test("a resource that the server does not track costs 1 seat, which is known", () => {
    const state = answered({ resource: "nodes.metrics.k8s.io" });
    expect(line(state, "price")).toMatchObject({ lead: "1 seat", isOpen: false });
    expect(state.price.facts.at(1)?.text).toBe(
      "api-1 publishes no count: what it does not track costs 1 seat",
    );
  });

  test("an aggregated API is served by its Service, and not said to come from the cache", () => {
    const served = line(answered({ resource: "nodes.metrics.k8s.io" }), "served");
    expect(served).toMatchObject({ lead: "by kube-system/metrics-server", isOpen: false });
    expect(line(answered({ resource: "nodes" }), "served")?.lead).toBe("from the watch cache");
    const one = answered({ resource: "pods.metrics.k8s.io", verb: "get", namespace: "a", name: "p" });
    expect(line(one, "served")?.lead).toBe("by kube-system/metrics-server");
    expect(line(answered({ verb: "get", namespace: "a", name: "p" }), "served")).toBeUndefined();
  });

  test("a watch says what it begins with, and what the client receives of it", () => {
    const state = line(answered({ verb: "watch", resource: "pods", namespace: "a", rv: "0" }), "served");
    expect(state).toMatchObject({ lead: "from the watch cache", isOpen: false });
    expect(state?.text).toContain("Before the first live change the API server goes through 19 200 objects");
    expect(state?.text).toContain("the client receives at most 19 200 objects");
    const changes = line(answered({ verb: "watch", resource: "pods", rv: "7" }), "served");
    expect(changes).toMatchObject({ lead: "from the changes that the watch cache remembers", isOpen: true });
    expect(changes?.text).toContain("a number of changes that is not known");
    const refused = line(answered({ verb: "watch", resource: "pods", rv: "7", match: "Exact" }), "served");
    expect(refused).toMatchObject({ lead: "not at all", isOpen: false });
  });

  test("a size that was not read leaves a range where prices go by size, and none where they go by count", () => {
    const notRead = { state: "unknown", reason: "not-read", assumed: null, assumedBecause: null } as const;
    const unsized = (gitVersion: string, objects: number) =>
      withServers(({ resources }) => ({
        gitVersion,
        gates: null,
        resources: resources.map((each) => ({
          ...each,
          objects: { state: "known" as const, value: objects },
          storedBytes: notRead,
        })),
      }));
    expect(line(answered({}, unsized("v1.34.3", 5)), "price")).toMatchObject({ lead: "1 to 10 seats" });
    expect(line(answered({}, unsized("v1.33.3", 500)), "price")).toMatchObject({
      lead: "5 seats",
      isOpen: false,
    });
  });

  test("a nominal limit that is not known leaves any cap open", () => {
    const state = answered(
      {},
      withServers(() => ({ nominalSeats: {} })),
    );
    expect(line(state, "price")).toMatchObject({ lead: "1 to 10 seats", isOpen: true });
    expect(line(state, "price")?.text).toContain("nominal limit of workload-low");
  });

  test("nor is that of a level which is named like a property of every object", () => {
    const plain = flowControlFixture();
    const renamed = "constructor";
    const state = answered(
      {},
      {
        ...withServers(() => ({ nominalSeats: {} })),
        priorityLevels: (plain.priorityLevels ?? []).map((level) =>
          level.name === "workload-low" ? { ...level, name: renamed } : level,
        ),
        flowSchemas: (plain.flowSchemas ?? []).map((schema) =>
          schema.priorityLevelName === "workload-low" ? { ...schema, priorityLevelName: renamed } : schema,
        ),
      },
    );
    expect(line(state, "result")?.lead).toBe("service-accounts → constructor");
    expect(line(state, "price")?.text).toContain("Not known more closely: nominal limit of constructor.");
  });

  test("watches on what a write changes are not published; given, they price it", () => {
    const write = { verb: "update", resource: "pods", namespace: "a", name: "p" } as const;
    expect(line(answered(write), "price")).toMatchObject({ lead: "1 to 10 seats", isOpen: true });
    const given = answered({ ...write, watchers: "1000" });
    expect(line(given, "price")?.lead).toBe("10 seats");
    expect(line(given, "price")?.text).toContain("Held until 50 ms after the answer.");
  });

  test("zero objects is a count, not a gap", () => {
    const empty = withServers(({ resources }) => ({
      resources: resources.map((each) => ({ ...each, objects: { state: "known" as const, value: 0 } })),
    }));
    expect(line(answered({}, empty), "price")).toMatchObject({ lead: "1 seat", isOpen: false });
    expect(line(answered({}, empty), "served")?.text).toContain("goes through 0 objects");
  });
});

describe("states of the tool", () => {
  test("without FlowSchemas or a version there is nothing to match, and it says which is missing", () => {
    expect(ask({}, flowControlFixture({ flowSchemas: null }))).toEqual({
      state: "missing",
      missing: ["FlowSchemas"],
    });
    expect(ask({ account: "" }, flowControlFixture({ flowSchemas: null })).state).toBe("missing");
    const unread = { gitVersion: null, servers: [], flowSchemas: null, priorityLevels: null };
    expect(ask({}, flowControlFixture(unread))).toEqual({
      state: "missing",
      missing: ["FlowSchemas", "priority levels", "the version of the API server"],
    });
  });

  test("a version that does not read as one is not guessed at, here and in what else rests on it", () => {
    const odd = flowControlFixture({
      gitVersion: "unversioned",
      servers: flowControlFixture().servers.map((server) => ({ ...server, gitVersion: "unversioned" })),
    });
    expect(ask({}, odd)).toEqual({ state: "missing", missing: ["the version of the API server"] });
    expect(prepareDrift(odd)).toBeNull();
    expect(prepareCollapse(odd, null)).toBeNull();
  });

  test("a cluster whose FlowSchemas were all removed is answered by what the API server supplies", () => {
    const state = answered({}, flowControlFixture({ flowSchemas: [] }));
    expect(line(state, "result")?.lead).toBe("catch-all → catch-all");
    expect(line(state, "flow")).toMatchObject({
      lead: "none",
      text: "The level rejects in place of queuing.",
    });
    expect(line(state, "hand")).toBeUndefined();
  });

  test("a path that the API server refuses before it asks any FlowSchema", () => {
    expect(ask({ by: "path", path: "/api/v1/watch" })).toMatchObject({
      state: "refused",
      why: expect.stringContaining("/watch"),
    });
  });

  test("exempt has no flows; what passes APF by has no price", () => {
    const root = answered({ who: "user", user: "root", groups: "system:masters" });
    expect(line(root, "result")).toMatchObject({
      lead: "exempt → exempt",
      text: expect.stringMatching(/never held back/),
    });
    expect(line(root, "flow")?.text).toBe("The level has no limit and no queues.");
    const exec = answered({ verb: "create", resource: "pods/exec", namespace: "a", name: "p" });
    expect(line(exec, "price")).toBeUndefined();
    expect(line(exec, "result")?.text).toContain("it takes no seats");
  });

  test("a version beyond the known ones says by which rules it answers", () => {
    const state = answered(
      {},
      withServers(() => ({ gitVersion: "v1.99.0" })),
    );
    expect(line(state, "result")?.text).toContain("answered by the rules of 1.37");
  });

  test("a server that is not known falls back to the busiest, then to the cluster's version", () => {
    const none = prepareAnswer({ ...EMPTY_FORM, ...AGENT }, flowControlFixture(), null);
    expect(none).toMatchObject({ state: "answered", server: { name: "api-1" } });
    const noServers = answered({}, flowControlFixture({ servers: [], busiestServerId: null }));
    expect(line(noServers, "price")).toMatchObject({ lead: "1 to 10 seats", isOpen: true });
  });
});

test("seats in words", () => {
  expect(seatsText({ minSeats: 1, maxSeats: 1 })).toBe("1 seat");
  expect(seatsText({ minSeats: 1, maxSeats: 10 })).toBe("1 to 10 seats");
});

import { describe, expect, test } from "vitest";
import { auditEvent } from "../audit/test-events.ts";
import type { AuditEvent } from "../audit-event.ts";
import { AgentLearner, type LearnLimits } from "./agent-learner.ts";
import type { LearnedAgent, LearnedAgents } from "./learned-agents.ts";

const START = Date.UTC(2026, 2, 2, 9);

function learn(events: Iterable<AuditEvent>, limits: Partial<LearnLimits> = {}): LearnedAgents {
  const learner = new AgentLearner(limits);
  for (const event of events) learner.observe(event);
  return learner.finish("audit log test");
}

function onlyAgent(events: Iterable<AuditEvent>): LearnedAgent {
  const { agents } = learn(events);
  expect(agents).toHaveLength(1);
  const [agent] = agents;
  if (agent === undefined) throw new Error("no agent");
  return agent;
}

interface Sent {
  readonly seconds?: number;
  readonly query?: string;
  readonly verb?: string;
  readonly pod?: number;
  readonly node?: string | null;
  readonly code?: number;
  readonly namespace?: string;
  readonly name?: string;
  readonly resource?: string;
}

const podName = (pod: number) => `shipper-${["bcdfg", "hjklm", "npqrs", "tvwxz", "24567"][pod % 5]}`;

/** A request of one pod of the DaemonSet `shipper`, for pods unless it says otherwise. */
function sent({
  seconds = 0,
  query = "",
  verb = "list",
  pod = 0,
  node = null,
  code = 200,
  namespace = "",
  name = "",
  resource = "pods",
}: Sent): AuditEvent {
  const at = START + seconds * 1000;
  const path = `/api/v1${namespace === "" ? "" : `/namespaces/${namespace}`}/${resource}${name === "" ? "" : `/${name}`}`;
  return auditEvent({
    verb,
    stage: verb === "watch" ? "ResponseStarted" : "ResponseComplete",
    requestUri: query === "" ? path : `${path}?${query}`,
    objectRef: { apiGroup: "", apiVersion: "v1", resource, subresource: "", namespace, name },
    podName: podName(pod),
    nodeName: node,
    responseCode: code,
    receivedAt: at,
    stageAt: at + 40,
  });
}

/** What client-go sends at start: a LIST from the cache, then a WATCH from its version on. */
const informerOf = (pod: number, seconds: number, selector = ""): readonly AuditEvent[] => [
  sent({ pod, seconds, query: `${selector}limit=500&resourceVersion=0` }),
  sent({
    pod,
    seconds: seconds + 1,
    verb: "watch",
    query: `${selector}allowWatchBookmarks=true&resourceVersion=41&timeoutSeconds=431&watch=true`,
  }),
];

describe("an informer", () => {
  test("is a LIST and a WATCH of one thing, by the copies that sent them", () => {
    const agent = onlyAgent([...informerOf(0, 0), ...informerOf(1, 2), ...informerOf(2, 4)]);
    expect(agent).toMatchObject({
      id: "daemonset/logging/shipper",
      kind: "DaemonSet",
      namespace: "logging",
      userName: "system:serviceaccount:logging:shipper",
      replicas: { kind: "per-node", count: 3 },
      client: { library: "client-go", version: null },
      isKnown: true,
    });
    expect(agent.informers).toMatchObject([
      {
        resource: "pods",
        scope: "cluster",
        mode: "informer",
        fieldSelector: null,
        resourceVersion: "0",
        pageSize: 500,
        watchList: false,
        representation: null,
        evidence: { grade: "measured", source: "audit log test", observedAt: START + 5000 },
        observed: {
          lists: 3,
          watches: 3,
          copies: 3,
          relists: 0,
          resourceVersions: { zero: 3, unset: 0, exact: 0 },
        },
      },
    ]);
  });

  test("by WatchList needs no LIST", () => {
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=";
    const { informers } = onlyAgent([sent({ verb: "watch", query }), sent({ verb: "watch", query, pod: 1 })]);
    expect(informers).toMatchObject([
      { mode: "informer", watchList: true, resourceVersion: null, observed: { watchLists: 2 } },
    ]);
  });

  test("whose LIST came before the log is one all the same, and says what would show it", () => {
    const { informers } = onlyAgent([sent({ verb: "watch", query: "watch=true&resourceVersion=77" })]);
    expect(informers).toMatchObject([
      { mode: "informer", resourceVersion: null, pageSize: null, watchList: null },
    ]);
    expect(informers[0]?.evidence.raisedBy).toContain("LIST before them");
    const bare = onlyAgent([sent({ verb: "watch", query: "watch=true" })]);
    expect(bare.informers).toMatchObject([{ mode: "watch" }]);
  });

  test("that lists anew when its version has expired is one informer, not a poll beside it", () => {
    const events = [0, 1, 2].flatMap((pod) => [
      ...informerOf(pod, pod),
      sent({ pod, seconds: 300 + 7 * pod, verb: "watch", query: "watch=true&resourceVersion=41", code: 410 }),
      sent({ pod, seconds: 301 + 7 * pod }),
      sent({ pod, seconds: 302 + 7 * pod, verb: "watch", query: "watch=true&resourceVersion=99" }),
    ]);
    expect(onlyAgent(events).informers).toMatchObject([
      { mode: "informer", resourceVersion: "0", observed: { lists: 6, relists: 3, expired: 3, watches: 9 } },
    ]);
  });

  test("of pages counts its LIST once, and a page that has expired", () => {
    const { informers } = onlyAgent([
      sent({ query: "limit=500" }),
      sent({ seconds: 1, query: "limit=500&continue=a" }),
      sent({ seconds: 2, query: "limit=500&continue=b", code: 410 }),
    ]);
    expect(informers).toMatchObject([
      { mode: "list", pageSize: 500, observed: { lists: 1, pages: 2, expired: 1 } },
    ]);
  });
});

describe("the copy's own node", () => {
  test("stands for the nodes that copies ask for, whatever they are called", () => {
    const events = [0, 1, 2, 3].flatMap((pod) =>
      informerOf(pod, pod, `fieldSelector=spec.nodeName%3Dnode-${pod}&`),
    );
    expect(onlyAgent(events).informers).toMatchObject([
      {
        scope: "own-node",
        fieldSelector: "spec.nodeName=$(NODE_NAME)",
        observed: { names: 4, copies: 4, lists: 4 },
      },
    ]);
  });

  test("is told from a name by the node of the token", () => {
    const query = (name: string) => `fieldSelector=metadata.name%3D${name}`;
    const own = onlyAgent(
      [0, 1].map((pod) => sent({ pod, node: `n${pod}`, resource: "nodes", query: query(`n${pod}`) })),
    );
    expect(own.informers).toMatchObject([{ scope: "own-node", fieldSelector: "metadata.name=$(NODE_NAME)" }]);
    const same = onlyAgent(
      [0, 1].map((pod) =>
        sent({
          pod,
          node: `n${pod}`,
          namespace: "kube-system",
          resource: "configmaps",
          query: query("settings"),
        }),
      ),
    );
    expect(same.informers).toMatchObject([
      { scope: "single-object", namespace: "kube-system", fieldSelector: "metadata.name=settings" },
    ]);
  });

  test("that is the same for all copies is named and noted", () => {
    const agent = onlyAgent(
      [0, 1, 2].map((pod) => sent({ pod, query: "fieldSelector=spec.nodeName%3Dmaster" })),
    );
    expect(agent.informers).toMatchObject([{ fieldSelector: "spec.nodeName=master" }]);
    expect(agent.notes).toContain("All copies ask for pods of the same node, master.");
  });

  test("is kept beside other terms of the selector, and no node at all is none", () => {
    const query = (node: string) => `fieldSelector=status.phase%3DRunning,spec.nodeName%3D${node}`;
    expect(
      onlyAgent([0, 1].map((pod) => sent({ pod, query: query(`n${pod}`) }))).informers[0]?.fieldSelector,
    ).toBe("spec.nodeName=$(NODE_NAME),status.phase=Running");
    expect(onlyAgent([sent({ query: "fieldSelector=spec.nodeName%3D" })]).informers).toMatchObject([
      { scope: "cluster", fieldSelector: "spec.nodeName=" },
    ]);
  });
});

describe("a poll", () => {
  test("is a LIST again and again, with the time between and its spread", () => {
    const events = [0, 1, 2].flatMap((pod) =>
      Array.from({ length: 20 }, (_, i) => sent({ pod, seconds: pod * 3 + i * 30 + (i % 3) })),
    );
    const { informers } = onlyAgent(events.sort((a, b) => (a.receivedAt ?? 0) - (b.receivedAt ?? 0)));
    expect(informers).toMatchObject([
      {
        mode: "poll",
        periodSeconds: 31,
        resourceVersion: "",
        pageSize: 0,
        observed: {
          lists: 60,
          copies: 3,
          period: { isRegular: true, intervals: 57, secondsP10: 28, secondsP90: 31 },
        },
      },
    ]);
  });

  test("beside an informer of the same thing is a second line", () => {
    const polls = Array.from({ length: 30 }, (_, i) => sent({ seconds: i * 10 }));
    const { informers } = onlyAgent([...informerOf(0, 0), ...polls]);
    expect(
      informers
        .map(({ mode, periodSeconds, resourceVersion, observed }) => [
          mode,
          periodSeconds,
          resourceVersion,
          observed.lists,
        ])
        .sort(),
    ).toEqual([
      ["informer", null, "0", 1],
      ["poll", 10, "", 30],
    ]);
  });

  test("of an object by GETs is one; GETs without a rhythm are none", () => {
    const regular = Array.from({ length: 12 }, (_, i) =>
      sent({ verb: "get", resource: "configmaps", namespace: "ops", name: "lock", seconds: i * 2 }),
    );
    expect(onlyAgent(regular).informers).toMatchObject([
      {
        mode: "poll",
        scope: "single-object",
        namespace: "ops",
        periodSeconds: 2,
        observed: { gets: 12, lists: 0, names: 1, copies: 1 },
      },
    ]);
    const byChance = [0, 1, 50, 51, 400, 404, 2000].map((seconds) =>
      sent({ verb: "get", resource: "configmaps", namespace: "ops", name: "lock", seconds }),
    );
    const agent = onlyAgent(byChance);
    expect(agent.informers).toEqual([]);
    expect(agent.observed.others).toEqual([{ what: "get configmaps", requests: 7 }]);
  });

  test("has no period where a log goes back in time between two servers", () => {
    const first = Array.from({ length: 3 }, (_, i) => sent({ seconds: i * 60 }));
    const { informers } = onlyAgent([
      ...first,
      ...first.map((event) => ({ ...event, auditId: `${event.auditId}b` })),
    ]);
    expect(informers).toMatchObject([
      {
        mode: "poll",
        periodSeconds: 60,
        observed: { period: { secondsP10: 60, secondsP90: 60, intervals: 4 } },
      },
    ]);
  });
});

describe("stages of a request", () => {
  test("make one request: at the start of a WATCH, at the answer of everything else", () => {
    const watch = sent({ verb: "watch", query: "watch=true&resourceVersion=5" });
    const list = sent({ seconds: 1 });
    const { agents, requests, otherEvents } = learn([
      { ...watch, stage: "RequestReceived", responseCode: null },
      watch,
      { ...list, stage: "RequestReceived", responseCode: null },
      list,
      { ...watch, stage: "ResponseComplete", stageAt: START + 400_000 },
    ]);
    expect([requests, otherEvents]).toEqual([2, 3]);
    expect(agents[0]?.informers[0]?.observed).toMatchObject({ lists: 1, watches: 1 });
  });

  test("a log without starts counts a WATCH at its end, and a panic counts too", () => {
    const watch = { ...sent({ verb: "watch", query: "watch=true" }), stage: "ResponseComplete" as const };
    const panic = { ...sent({ code: 500 }), stage: "Panic" as const };
    const agent = onlyAgent([watch, panic]);
    expect(agent.observed).toMatchObject({
      requests: 2,
      codes: [
        { code: 200, requests: 1 },
        { code: 500, requests: 1 },
      ],
    });
  });

  test("one Audit-ID for all requests of a client hides none of them", () => {
    const events = [1, 2, 3].map((seconds) => ({
      ...sent({ seconds, verb: "watch", query: "watch=true" }),
      auditId: "same",
    }));
    const ends = events.map((event) => ({
      ...event,
      stage: "ResponseComplete" as const,
      stageAt: (event.stageAt ?? 0) + 1,
    }));
    expect(onlyAgent([...events, ...ends]).observed.requests).toBe(3);
  });
});

describe("who an agent is", () => {
  test("a user and a program: the same account with another user agent is another agent, with an id of its own", () => {
    const { agents } = learn(
      ["attacher/v4.1.0", "provisioner/v3.0.0", "provisioner/v3.0.1"].map((userAgent, i) => ({
        ...sent({ seconds: i }),
        userAgent,
      })),
    );
    expect(agents.map(({ id, version, observed }) => [id, version, observed.requests]).sort()).toEqual([
      ["daemonset/logging/shipper", "4.1.0", 1],
      ["daemonset/logging/shipper/provisioner", "3.0.0", 2],
    ]);
  });

  test("all kubelets are one, told apart by their users", () => {
    const events = Array.from({ length: 20 }, (_, i) => ({
      ...sent({ query: `fieldSelector=spec.nodeName%3Dn${i}&limit=500&resourceVersion=0`, seconds: i }),
      userName: `system:node:n${i}`,
      userAgent: "kubelet/v1.34.1 (linux/amd64) kubernetes/abcdef0",
      podName: null,
    }));
    const agent = onlyAgent(events);
    expect(agent).toMatchObject({
      id: "client/kubelet",
      kind: "node-client",
      userName: "system:node:*",
      version: "1.34.1",
      client: { library: "kubelet", version: "1.34.1" },
      replicas: { kind: "per-node", count: 20 },
      observed: { copiesBy: "node", copies: 20 },
      informers: [{ scope: "own-node", fieldSelector: "spec.nodeName=$(NODE_NAME)" }],
    });
  });

  test("without pods and nodes copies are addresses, and that is said", () => {
    const agent = onlyAgent(
      [1, 2, 3].map((i) => ({
        ...sent({ seconds: i }),
        podName: null,
        sourceIps: ["10.9.9.9", `192.0.2.${i}`],
      })),
    );
    expect(agent.observed).toMatchObject({ copiesBy: "address", copies: 3 });
    expect(agent).toMatchObject({ kind: "client", id: "client/system:serviceaccount:logging:shipper" });
    expect(agent.notes.join(" ")).toContain("told apart by their addresses");
  });

  test("pods of several workloads under one account are no workload", () => {
    const names = ["api-7d9f6c4b58-mk2vq", "web-7d9f6c4b58-mk2vq", "db-0"];
    const agent = onlyAgent(names.map((name, i) => ({ ...sent({ seconds: i }), podName: name })));
    expect(agent).toMatchObject({ kind: "client", observed: { workload: null, copiesBy: "pod", copies: 3 } });
  });

  test("who is impersonated is the user, and how often is said", () => {
    const agent = onlyAgent([{ ...sent({}), userName: "jane", impersonatorName: "proxy" }]);
    expect(agent).toMatchObject({ userName: "jane", observed: { impersonated: 1 } });
  });
});

describe("what goes wrong", () => {
  test("the same request more than ten times a second by one copy is a loop; a herd of copies is none", () => {
    const loop = Array.from({ length: 25 }, (_, i) =>
      sent({ verb: "get", namespace: "a", name: "p", seconds: 5 + i / 30, code: 404 }),
    );
    const { observed } = onlyAgent(loop);
    expect(observed.loops).toEqual([
      { what: "get pods", requestsPerSecond: 25, at: START + 5000, seconds: 1 },
    ]);
    const herd = Array.from({ length: 25 }, (_, i) => ({
      ...sent({ seconds: 5 + i / 30 }),
      podName: null,
      sourceIps: [`192.0.2.${i}`],
    }));
    const agent = onlyAgent(herd);
    expect(agent.observed.loops).toEqual([]);
    expect(agent.informers[0]?.observed.peak).toEqual({ requestsPerSecond: 25, at: START + 5000 });
  });

  test("different objects written or read one after the other are no loop", () => {
    const many = (verb: string) =>
      Array.from({ length: 40 }, (_, i) =>
        sent({ verb, resource: "secrets", namespace: `ns-${i}`, name: `s-${i}`, seconds: i / 60 }),
      );
    const lists = Array.from({ length: 40 }, (_, i) => sent({ namespace: `ns-${i}`, seconds: i / 60 }));
    const creates = Array.from({ length: 40 }, (_, i) =>
      sent({ verb: "create", namespace: "a", seconds: i / 60, code: 201 }),
    );
    const watches = Array.from({ length: 40 }, (_, i) =>
      sent({
        verb: "watch",
        namespace: `ns-${i}`,
        query: `fieldSelector=metadata.name%3Dx${i}&watch=true&resourceVersion=1`,
        seconds: i / 60,
      }),
    );
    for (const events of [many("get"), many("update"), lists, creates, watches]) {
      expect(onlyAgent(events).observed.loops).toEqual([]);
    }
    const refused = creates.map((event) => ({ ...event, responseCode: 403 }));
    expect(onlyAgent(refused).observed.loops).toMatchObject([{ what: "create pods", requestsPerSecond: 40 }]);
  });

  test("writes loop too, and are counted by what they are", () => {
    const writes = Array.from({ length: 30 }, (_, i) =>
      sent({ verb: "update", resource: "leases", namespace: "a", name: "l", seconds: i / 60 }),
    );
    const { observed, informers } = onlyAgent(writes);
    expect(observed.writes).toEqual([{ what: "update leases", requests: 30 }]);
    expect(observed.loops).toMatchObject([{ what: "update leases", requestsPerSecond: 30 }]);
    expect(informers).toEqual([]);
  });

  test("429s are counted with their peak", () => {
    const { observed, informers } = onlyAgent(
      Array.from({ length: 6 }, (_, i) => sent({ seconds: i / 10, code: i < 5 ? 429 : 200, pod: i })),
    );
    expect(observed).toMatchObject({ throttled: 5, throttledPeak: { requestsPerSecond: 5 } });
    expect(informers[0]?.observed.throttled).toBe(5);
  });
});

describe("what is complete", () => {
  const running = Array.from({ length: 40 }, (_, i) => sent({ pod: 0, seconds: i * 60 }));
  test("a copy that starts late in the log and is followed shows all that the agent reads", () => {
    expect(
      onlyAgent(
        [...running, ...informerOf(1, 2000)].sort((a, b) => (a.receivedAt ?? 0) - (b.receivedAt ?? 0)),
      ).observed.isComplete,
    ).toBe(true);
  });
  test("copies seen from the beginning, or only at the end, do not", () => {
    expect(onlyAgent(running).observed.isComplete).toBe(false);
    expect(onlyAgent([...running, ...informerOf(1, 2339)]).observed.isComplete).toBe(false);
  });
});

describe("bounds", () => {
  test("namespaces beyond ten are one line that says how many", () => {
    const agent = onlyAgent(Array.from({ length: 25 }, (_, i) => sent({ namespace: `ns-${i}`, seconds: i })));
    expect(agent.informers).toMatchObject([
      { scope: "namespace", namespace: null, observed: { lists: 25, namespaces: 25 } },
    ]);
    const few = onlyAgent(Array.from({ length: 10 }, (_, i) => sent({ namespace: `ns-${i}`, seconds: i })));
    expect(few.informers).toHaveLength(10);
  });

  test("objects watched by name are one line, in however many namespaces", () => {
    const events = Array.from({ length: 50 }, (_, i) =>
      sent({
        verb: "watch",
        resource: "secrets",
        namespace: `ns-${i}`,
        query: `fieldSelector=metadata.name%3Dtoken-${i}&watch=true&resourceVersion=3`,
      }),
    );
    expect(onlyAgent(events).informers).toMatchObject([
      {
        scope: "single-object",
        namespace: null,
        fieldSelector: "metadata.name=$(NAME)",
        observed: { watches: 50, namespaces: 50, names: 50 },
      },
    ]);
  });

  test("selectors that differ each time end as one with their values taken out", () => {
    const events = Array.from({ length: 100 }, (_, i) =>
      sent({ query: `labelSelector=job%3Drun-${i},tier%20in%20(a,b${i})`, seconds: i }),
    );
    const { informers } = onlyAgent(events);
    expect(informers).toHaveLength(17);
    expect(informers.find(({ observed }) => observed.lists === 84)?.labelSelector).toBe(
      "job=$(VALUE),tier in $(VALUE)",
    );
  });

  test("agents and things beyond the limits are counted, and not learned from", () => {
    const events = Array.from({ length: 30 }, (_, i) => ({
      ...sent({ seconds: i, resource: `things${i % 6}` }),
      userName: `user-${i % 10}`,
    }));
    const { agents, beyond, requests } = learn(events, { agents: 4, reads: 5 });
    expect(agents).toHaveLength(4);
    expect(beyond.agentRequests).toBe(18);
    expect(beyond.readRequests).toBeGreaterThan(0);
    expect(requests).toBe(30);
  });

  test("copies beyond the limit are said to be more", () => {
    const events = Array.from({ length: 100 }, (_, i) => ({
      ...sent({ seconds: i }),
      podName: null,
      sourceIps: [`10.0.0.${i}`],
    }));
    const learner = new AgentLearner({ copies: 60 });
    for (const event of events) learner.observe(event);
    const [agent] = learner.finish("log").agents;
    expect(agent?.observed).toMatchObject({ isCopiesAtLeast: true, copies: 30 });
    expect(agent?.replicas).toEqual({ kind: "unknown" });
  });
});

test("what was learned so far may be asked for again and again, and learning goes on", () => {
  const events = Array.from({ length: 60 }, (_, i) =>
    sent({ namespace: `ns-${i % 20}`, seconds: i, pod: i % 3 }),
  );
  const learner = new AgentLearner();
  for (const [i, event] of events.entries()) {
    learner.observe(event);
    if (i % 7 === 0) learner.finish("audit log test");
  }
  expect(learner.finish("audit log test")).toEqual(learn(events));
});

describe("odd events", () => {
  test("without times, user, user agent or addresses are counted all the same", () => {
    const bare = {
      userName: "",
      userAgent: "",
      sourceIps: [],
      podName: null,
      receivedAt: null,
      stageAt: null,
      objectRef: null,
      verb: "",
      requestUri: "/",
    };
    const { agents, firstAt } = learn([
      auditEvent(bare),
      auditEvent({ ...bare, stageAt: -62_135_596_800_000 }),
    ]);
    expect(firstAt).toBeNull();
    expect(agents).toMatchObject([
      {
        userName: null,
        observed: { requests: 2, requestsPerSecond: null, codes: [{ code: 200, requests: 2 }] },
      },
    ]);
  });

  test("a LIST whose log leaves out what it is about is read from its path", () => {
    const event = {
      ...sent({ query: "resourceVersion=0" }),
      objectRef: null,
      requestUri: "/apis/apps/v1/deployments?resourceVersion=0",
    };
    expect(onlyAgent([event]).informers).toMatchObject([
      { apiGroup: "apps", resource: "deployments", mode: "list" },
    ]);
  });

  test("nothing of a query but its selectors is kept", () => {
    const event = {
      ...sent({}),
      requestUri: "/api/v1/namespaces/a/pods/b/exec?command=echo&command=hunter2",
      verb: "get",
      objectRef: {
        apiGroup: "",
        apiVersion: "v1",
        resource: "pods",
        subresource: "exec",
        namespace: "a",
        name: "b",
      },
    };
    const other = { ...sent({}), requestUri: "/custom/path?token=hunter2", objectRef: null, verb: "get" };
    const text = JSON.stringify(learn([event, other]));
    expect(text).toContain("get pods/exec");
    expect(text).toContain("get /custom/path");
    expect(text).not.toContain("hunter2");
  });

  test("an empty log gives nothing, not zero requests per second of nobody", () => {
    expect(learn([])).toEqual({
      firstAt: null,
      lastAt: null,
      agents: [],
      requests: 0,
      otherEvents: 0,
      beyond: { agentRequests: 0, readRequests: 0 },
    });
  });
});

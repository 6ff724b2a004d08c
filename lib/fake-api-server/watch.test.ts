import { describe, expect, it } from "vitest";
import { buildScenario } from "./scenarios.ts";
import { ask, NOW, startForTest } from "./test-support.ts";

type Event = {
  type: string;
  object: { kind: string; code?: number; metadata: { name?: string; annotations?: Record<string, string> } };
};

/** Reads events of a watch until one satisfies `until` or the answer ends; then leaves. */
async function readEvents(response: Response, until: (event: Event) => boolean): Promise<Event[]> {
  const events: Event[] = [];
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const event = JSON.parse(line) as Event;
      events.push(event);
      if (until(event)) return events;
    }
  }
  return events;
}

const isBookmark = (event: Event) => event.type === "BOOKMARK";

describe("watch", () => {
  it("sends the state first, then what happens, until its time is up", async () => {
    const server = await startForTest({ scenario: buildScenario({ nodes: 3 }) });
    const response = await ask(server, "/api/v1/nodes?watch=1&timeoutSeconds=1&resourceVersion=0");
    await expect.poll(() => server.openWatches("", "nodes")).toBe(1);
    server.sendWatchEvent("", "nodes", { type: "DELETED", object: { metadata: { name: "gone" } } });
    const events = await readEvents(response, () => false);
    expect(events.map((event) => event.type)).toEqual(["ADDED", "ADDED", "ADDED", "DELETED"]);
    expect(events[3]?.object).toMatchObject({ kind: "Node", metadata: { name: "gone" } });
    expect(server.openWatches("", "nodes")).toBe(0);
  });

  it("sends bookmarks while nothing happens to those who allow them", async () => {
    const server = await startForTest({ bookmarkMs: 20 });
    const path = "/api/v1/nodes?watch=1&timeoutSeconds=10&allowWatchBookmarks=true&resourceVersion=";
    const { metadata } = await (await ask(server, "/api/v1/nodes?limit=1")).json();
    const events = await readEvents(await ask(server, path + metadata.resourceVersion), isBookmark);
    expect(events.map((event) => event.type)).toEqual(["BOOKMARK"]);
  });

  it("marks the end of the initial events of a watch-list where the version has it on", async () => {
    const query =
      "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=5";
    const on = await startForTest({ scenario: buildScenario({ nodes: 3, kubernetesVersion: "1.34.2" }) });
    const events = await readEvents(await ask(on, `/api/v1/nodes?${query}`), isBookmark);
    expect(events.map((event) => event.type)).toEqual(["ADDED", "ADDED", "ADDED", "BOOKMARK"]);
    expect(events[3]?.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    const off = await startForTest({ scenario: buildScenario({ nodes: 3, kubernetesVersion: "1.33.1" }) });
    expect((await ask(off, `/api/v1/nodes?${query}`)).status).toBe(422);
  });

  it("answers a resource version older than the history with an ERROR event", async () => {
    const server = await startForTest({ historySeconds: 60 });
    const { metadata } = await (await ask(server, "/api/v1/nodes?limit=1")).json();
    server.clock.at = NOW + 61_000;
    const response = await ask(server, `/api/v1/nodes?watch=1&resourceVersion=${metadata.resourceVersion}`);
    const events = await readEvents(response, () => false);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: "ERROR", object: { code: 410 } });
  });
});

import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { FakeApiServer } from "./fake-api-server.ts";
import type { Fault } from "./faults.ts";
import { ask, NOW, seriesValue, startForTest } from "./test-support.ts";

async function withFault(
  fault: Fault,
  rule: { path?: string | RegExp; server?: string; times?: number } = {},
) {
  const server = await startForTest();
  const remove = server.faults.add({ fault, ...rule });
  return { server, remove };
}

/** Sends one request over a bare socket; tells all bytes that came and how the connection ended. */
function rawRequest(server: FakeApiServer, path: string, until: (text: string) => boolean = () => false) {
  return new Promise<{ text: string; bytes: number; endedBy: "server" | "reset" | "client" }>((resolve) => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), "127.0.0.1");
    const chunks: Buffer[] = [];
    const result = (endedBy: "server" | "reset" | "client") => {
      const all = Buffer.concat(chunks);
      socket.destroy();
      resolve({ text: all.toString("latin1"), bytes: all.length, endedBy });
    };
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      if (until(Buffer.concat(chunks).toString("latin1"))) result("client");
    });
    socket.once("end", () => result("server"));
    socket.once("error", () => result("reset"));
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${server.token}\r\nAccept-Encoding: gzip\r\n\r\n`,
    );
  });
}

const bodyOf = (text: string) => text.slice(text.indexOf("\r\n\r\n") + 4);

describe("status faults", () => {
  it.each([401, 403, 410, 500, 503])("%d comes with a Status that says so", async (code) => {
    const { server } = await withFault({ kind: "status", code });
    const response = await ask(server, "/api/v1/nodes");
    expect(response.status).toBe(code);
    expect(await response.json()).toMatchObject({ kind: "Status", status: "Failure", code });
  });

  it("429 comes as plain text with Retry-After, as flow control answers", async () => {
    const { server } = await withFault({ kind: "status", code: 429, retryAfterSeconds: 7 });
    const response = await ask(server, "/api/v1/nodes");
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(await response.text()).toBe("Too many requests, please try again later.\n");
  });

  it("410 on continue leaves the first page alone", async () => {
    const { server } = await withFault({ kind: "expired-continue" });
    const first = await ask(server, "/api/v1/nodes?limit=5");
    const { metadata } = await first.json();
    expect(first.status).toBe(200);
    const second = await ask(server, `/api/v1/nodes?limit=5&continue=${metadata.continue}`);
    expect(second.status).toBe(410);
  });

  it("hits only the paths, servers and number of requests it names, and goes when removed", async () => {
    const { server, remove } = await withFault({ kind: "status", code: 500 }, { path: "/metrics", times: 1 });
    expect((await ask(server, "/version")).status).toBe(200);
    expect((await ask(server, "/metrics")).status).toBe(500);
    expect((await ask(server, "/metrics")).status).toBe(200);
    remove();
    const [first, second] = server.servers;
    server.faults.add({
      fault: { kind: "status", code: 403 },
      server: first?.name ?? "",
      path: /^\/version$/,
    });
    expect((await ask(server, "/version", {}, first?.url)).status).toBe(403);
    expect((await ask(server, "/version", {}, second?.url)).status).toBe(200);
    server.faults.clear();
    expect((await ask(server, "/version", {}, first?.url)).status).toBe(200);
  });
});

describe("connection faults", () => {
  it("hang accepts the request, logs it and answers nothing", async () => {
    const { server } = await withFault({ kind: "hang" });
    const controller = new AbortController();
    const { port } = new URL(server.url);
    const asked = fetch(`http://127.0.0.1:${port}/version`, { signal: controller.signal });
    await expect.poll(() => server.requestLog.total).toBe(1);
    controller.abort();
    await expect(asked).rejects.toThrow();
    expect(server.requestLog.all()[0]).toMatchObject({ status: null, bytes: 0, isFinished: false });
  });

  it("reset drops the connection without a byte", async () => {
    const { server } = await withFault({ kind: "reset" });
    const { bytes } = await rawRequest(server, "/version");
    expect(bytes).toBe(0);
  });

  it("refused connections are refused on the address in front, too", async () => {
    const server = await startForTest();
    await server.setRefusing("all", true);
    await expect(fetch(`${server.url}/version`)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  });

  it("the port of refused connections goes to nobody who asks for any: no other answers there", async () => {
    const server = await startForTest();
    const { port } = new URL(server.url);
    expect(Number(port)).toBeLessThan(32_768);
    await server.setRefusing("all", true);
    const others = await Promise.all(Array.from({ length: 20 }, () => startForTest()));
    expect(others.map(({ url }) => new URL(url).port)).not.toContain(port);
    await expect(fetch(`${server.url}/version`)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await server.setRefusing("all", false);
    expect((await fetch(`${server.url}/version`)).status).toBeLessThan(500);
  });
});

describe("body faults", () => {
  it("drip sends the right body in small pieces", async () => {
    const { server } = await withFault({ kind: "drip", chunkBytes: 64, pauseMs: 1 });
    const response = await ask(server, "/version");
    const sizes: number[] = [];
    let text = "";
    for await (const chunk of response.body ?? []) {
      sizes.push(chunk.length);
      text += Buffer.from(chunk).toString();
    }
    expect(JSON.parse(text)).toMatchObject({ gitVersion: "v1.34.2" });
    expect(sizes.length).toBeGreaterThan(1);
  });

  it("truncate promises more than it sends, and closes", async () => {
    const { server } = await withFault({ kind: "truncate", afterBytes: 100 });
    const { text, endedBy } = await rawRequest(server, "/api/v1/nodes?limit=5");
    const promised = Number(/content-length: (\d+)/i.exec(text)?.[1]);
    expect(bodyOf(text)).toHaveLength(100);
    expect(promised).toBeGreaterThan(100);
    expect(endedBy).toBe("server");
    await expect(ask(server, "/api/v1/nodes?limit=5").then((response) => response.text())).rejects.toThrow();
  });

  it("broken gzip says gzip and does not unpack", async () => {
    const { server } = await withFault({ kind: "broken-gzip" });
    const response = await ask(server, "/metrics");
    expect(response.headers.get("content-encoding")).toBe("gzip");
    await expect(response.text()).rejects.toThrow();
  });

  it("html answers 200 with a page", async () => {
    const { server } = await withFault({ kind: "html" });
    const response = await ask(server, "/api/v1/nodes");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(await response.text()).toContain("<html>");
  });

  it("invalid JSON says that it is JSON", async () => {
    const { server } = await withFault({ kind: "invalid-json" });
    const response = await ask(server, "/api/v1/nodes");
    expect(response.headers.get("content-type")).toBe("application/json");
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  it("redirect names the other address", async () => {
    const { server } = await withFault({ kind: "redirect", location: "https://login.example.com/" });
    const response = await ask(server, "/api/v1/nodes");
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("https://login.example.com/");
  });

  it("endless goes on long after the body is complete, until the client leaves", async () => {
    const { server } = await withFault({ kind: "endless" });
    const { endedBy } = await rawRequest(server, "/version", (text) => text.length > 1_000_000);
    expect(endedBy).toBe("client");
    await expect.poll(() => server.requestLog.all()[0]?.isFinished).toBe(true);
  });

  it("huge metrics adds 32 MB of series that parse, in the middle of the page", async () => {
    const { server } = await withFault({ kind: "huge-metrics", bytes: 32_000_000 });
    const response = await ask(server, "/metrics");
    const page = await response.text();
    expect(page.length).toBeGreaterThan(32_000_000);
    const [entry] = server.requestLog.of("/metrics");
    expect(entry?.bytes).toBeLessThan(8_000_000);
    const filler = page.indexOf("team10.example.com");
    expect(page.indexOf("apiserver_flowcontrol_current_limit_seats")).toBeLessThan(filler);
    expect(page.indexOf("process_start_time_seconds")).toBeGreaterThan(filler);
    expect(seriesValue(page, 'kubernetes_feature_enabled{name="WatchList",stage="BETA"}')).toBe(1);
    expect((await (await ask(server, "/version")).json()).minor).toBe("34");
  });
});

describe("clock skew", () => {
  it("shifts the Date header and the times of Leases", async () => {
    const { server } = await withFault({ kind: "clock-skew", seconds: 600 });
    const response = await ask(
      server,
      "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=apiserver.kubernetes.io/identity%3Dkube-apiserver",
    );
    expect(Date.parse(response.headers.get("date") ?? "")).toBe(NOW + 600_000);
    const { items } = await response.json();
    expect(Date.parse(items[0].spec.renewTime) - NOW).toBeGreaterThan(580_000);
  });

  it("goes along with another fault", async () => {
    const { server } = await withFault({ kind: "clock-skew", seconds: -60 });
    server.faults.add({ fault: { kind: "status", code: 503 } });
    const response = await ask(server, "/version");
    expect(response.status).toBe(503);
    expect(Date.parse(response.headers.get("date") ?? "")).toBe(NOW - 60_000);
  });
});

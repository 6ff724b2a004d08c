import { createServer, type Socket } from "node:net";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type ApiServerError, toReadFailure } from "./api-server-error.ts";
import { createCostMeter } from "./cost.ts";
import { MetricNames } from "./metric-names.ts";
import { clientOf, failureOf, type Handler, listen, serve } from "./test-support/client.ts";
import { FakeClock } from "./test-support/fake-clock.ts";
import { USER_AGENT } from "./user-agent.ts";

const PLANTED = "planted-secret-Zx81";
const USER = { token: PLANTED };

const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
const status = (code: number, message: string, headers: Record<string, string> = {}, more: object = {}) =>
  json({ kind: "Status", apiVersion: "v1", status: "Failure", code, message, ...more }, code, headers);

/** A server that answers with raw bytes, then does what `after` says. */
async function serveRaw(answer: string | Buffer, after: (socket: Socket) => void = (socket) => socket.end()) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      if (answer.length > 0) socket.write(answer, () => after(socket));
      else after(socket);
    });
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

describe("requests", () => {
  it("are GETs with our name, the credentials and gzip asked for", async () => {
    const server = await serve(json({}));
    const { client } = await clientOf(`${server.url}/prefix/`, {
      user: { ...USER, as: "jane", "as-groups": ["a", "b"] },
    });
    await client.getJson("/version?x=1", { query: { y: "a b&c", z: undefined } });
    const [request] = server.requests;
    expect([request?.method, request?.url]).toEqual(["GET", "/prefix/version?x=1&y=a%20b%26c"]);
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${PLANTED}`,
      "user-agent": USER_AGENT,
      "accept-encoding": "gzip",
      accept: "application/json",
      "impersonate-user": "jane",
      "impersonate-group": "a, b",
    });
    expect(USER_AGENT).toMatch(/^headroom\/\d+\.\d+\.\d+ \(\+control-plane headroom; read-only\)$/);
  });

  it.each([
    ["/api/v1/secrets", /secrets/],
    ["/api/v1/nodes?watch=1", /watch/],
    ["/api/v1/pods", /all pods/],
    ["/api/v1/namespaces/a/pods/b/exec", /exec/],
  ])("%s is refused before anything is sent", async (path, message) => {
    const server = await serve(json({}));
    const { client } = await clientOf(server.url);
    const error = await failureOf(client.getText(path));
    expect(error).toMatchObject({
      reason: "refused",
      status: null,
      path,
      server: `127.0.0.1:${server.port}`,
    });
    expect(error.message).toMatch(message);
    expect(toReadFailure(error)).toMatchObject({ reason: "refused", verb: null, path: null });
    expect(server.requests).toEqual([]);
    expect(client.cost().requests).toBe(0);
  });

  it("all pods are listed only with the capability, which a pass never sets", async () => {
    const server = await serve(json({ kind: "PodList", items: [], metadata: {} }));
    const list = { metadata: { resourceVersion: "1" } };
    expect(list).toBeDefined();
    const { client } = await clientOf(server.url);
    expect((await failureOf(client.listAll("/api/v1/pods"))).reason).toBe("refused");
    expect((await client.count("/api/v1/pods")).count).toBe(0);
    expect((await client.samplePage("/api/v1/pods", { limit: 500 })).itemCount).toBe(0);
    const { client: capable } = await clientOf(server.url, { capabilities: { allowPodList: true } });
    expect((await capable.listAll("/api/v1/pods")).itemCount).toBe(0);
    expect(server.paths()).toEqual([
      "/api/v1/pods?limit=1",
      "/api/v1/pods?limit=50",
      "/api/v1/pods?limit=500",
    ]);
  });

  it("count bytes on the wire and after decompression, per client, scope and answer", async () => {
    const body = JSON.stringify({ text: "x".repeat(100_000) });
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" });
      response.end(gzipSync(body));
    });
    const { client } = await clientOf(server.url);
    const meter = createCostMeter();
    const part = client.scoped({ meter });
    const answer = await part.getJson("/a");
    await client.getJson("/b");
    expect(answer.value).toEqual(JSON.parse(body));
    expect(answer.cost).toMatchObject({ requests: 1, decodedBytes: body.length });
    expect(answer.cost.wireBytes).toBeGreaterThan(gzipSync(body).length);
    expect(answer.cost.wireBytes).toBeLessThan(2000);
    expect(meter.read()).toEqual(answer.cost);
    expect(client.cost().requests).toBe(2);
    expect(part.cost()).toEqual(client.cost());
  });

  it("304 with If-None-Match, and statuses that the caller takes, are results", async () => {
    const server = await serve((request, response) => {
      if (request.headers["if-none-match"] === '"v1"') response.writeHead(304, { etag: '"v1"' }).end();
      else response.writeHead(500, { "set-cookie": "a=b" }).end("[-]etcd failed");
    });
    const { client } = await clientOf(server.url);
    expect(await client.getBytes("/openapi/v2", { ifNoneMatch: '"v1"' })).toMatchObject({
      status: 304,
      headers: { etag: '"v1"' },
      body: Buffer.alloc(0),
    });
    const health = await client.getText("/livez?verbose", { alsoAccept: [500] });
    expect(health).toMatchObject({ status: 500, text: "[-]etcd failed" });
    expect(health.headers).not.toHaveProperty("set-cookie");
  });

  it("reuse a connection, and replace it when the certificates change, not when the token does", async () => {
    const sockets = new Set<number | undefined>();
    const server = await serve((request, response) => {
      sockets.add(request.socket.remotePort);
      json({})(request, response);
    });
    const { client, folder } = await clientOf(server.url, { user: { tokenFile: "token" } });
    for (const token of ["one", "two", "three"]) {
      await folder.write("token", token);
      await client.getJson("/version");
    }
    expect(server.requests.map((request) => request.headers.authorization)).toEqual([
      "Bearer one",
      "Bearer two",
      "Bearer three",
    ]);
    expect(sockets.size).toBe(1);
  });
});

describe("answers that are no success", () => {
  it.each<[number, string, string, RegExp]>([
    [400, "bad", "refused", /does not understand the request: bad/],
    [401, "Unauthorized", "unauthorized", /credentials were refused: Unauthorized/],
    [
      403,
      'nodes is forbidden: User "x" cannot list',
      "forbidden",
      /not permitted: nodes is forbidden: User "x" cannot list/,
    ],
    [404, "gone fishing", "not-found", /no such thing/],
    [406, "no", "refused", /in this form/],
    [410, "expired", "gone", /has expired/],
    [418, "teapot", "refused", /was refused: teapot/],
    [501, "no", "server-error", /failed: no/],
  ])("HTTP %i: the message of the Status is kept", async (code, message, reason, expected) => {
    const server = await serve(status(code, message));
    const { client } = await clientOf(server.url, { clock: new FakeClock(), cluster: "prod" });
    const run = failureOf(
      client.scoped({ deadlineAt: new FakeClock().now() + 100 }).getJson("/api/v1/nodes?limit=1"),
    );
    const error = await run;
    expect(error).toMatchObject({
      cluster: "prod",
      status: code,
      reason,
      verb: "get",
      path: "/api/v1/nodes?limit=1",
    });
    expect(error.message).toMatch(expected);
    expect(error.message).toMatch(
      new RegExp(`\\(HTTP ${code}, GET /api/v1/nodes\\?limit=1 at 127\\.0\\.0\\.1:\\d+\\)$`),
    );
    expect(server.requests).toHaveLength(1);
  });

  it("401 has an exec plugin asked again for the next request, and is not sent again itself", async () => {
    const server = await serve((request, response) => {
      const isNew = request.headers.authorization === "Bearer 2";
      (isNew ? json({}) : status(401, "Unauthorized"))(request, response);
    });
    const { client, folder } = await clientOf(server.url, {
      user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "./plugin" } },
    });
    await folder.writeScript("plugin", [
      `n=$(($(cat "${folder.path}/n" 2>/dev/null || echo 0) + 1)); echo $n > "${folder.path}/n"`,
      `echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"'$n'"}}'`,
    ]);
    expect((await failureOf(client.getJson("/version"))).reason).toBe("unauthorized");
    expect(server.requests).toHaveLength(1);
    expect((await client.getJson("/version")).status).toBe(200);
  });

  it("long messages are cut, markup is not quoted", async () => {
    const server = await serve((request, response) => {
      if (request.url === "/long") status(403, "x".repeat(100_000))(request, response);
      else response.writeHead(403, { "content-type": "text/html" }).end("<html><body>sign in</body></html>");
    });
    const { client } = await clientOf(server.url);
    expect((await failureOf(client.getJson("/long"))).message.length).toBeLessThan(700);
    expect((await failureOf(client.getJson("/html"))).detail).toBe("this is not permitted");
  });

  it("redirects are not followed, and the error says where to, without user information", async () => {
    const other = await serve(json({}));
    const server = await serve((_, response) => {
      response
        .writeHead(302, { location: `${other.url.replace("http://", `http://me:${PLANTED}@`)}/login` })
        .end();
    });
    const { client } = await clientOf(server.url, { user: USER });
    const error = await failureOf(client.getJson("/version"));
    expect(error).toMatchObject({ reason: "redirect", status: 302 });
    expect(error.message).toContain(`redirected to ${other.url}/login, which is not followed`);
    expect(other.requests).toEqual([]);
  });

  it("429 is tried again after exactly Retry-After, at most twice", async () => {
    const clock = new FakeClock();
    const times: number[] = [];
    const server = await serve((request, response) => {
      times.push(clock.now());
      if (times.length < 3) status(429, "full", { "retry-after": "7" })(request, response);
      else json({ ok: true })(request, response);
    });
    const { client } = await clientOf(server.url, { clock });
    const answer = client.getJson("/version");
    for (let turn = 1; turn < 3; turn++) {
      await expect
        .poll(() => clock.pausesMs.filter((pause) => pause === 7000).length, { timeout: 10_000 })
        .toBe(turn);
      await clock.advance(7000);
    }
    expect((await answer).value).toEqual({ ok: true });
    expect((await answer).cost.requests).toBe(3);
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 7000, 14000]);
  });

  it("429 beyond the deadline of the pass fails at once, with the instant; other reads of that server then wait too", async () => {
    const clock = new FakeClock();
    const server = await serve(status(429, "full", { "retry-after": "20" }));
    const { client } = await clientOf(server.url, { clock });
    const part = client.scoped({ deadlineAt: clock.now() + 10_000 });
    const error = await failureOf(part.getJson("/version"));
    expect(error).toMatchObject({
      reason: "throttled",
      status: 429,
      retryAfterSeconds: 20,
      retryAt: clock.now() + 20_000,
    });
    expect(error.message).toMatch(/has no room for the request: full/);
    const next = await failureOf(part.getJson("/metrics"));
    expect(next).toMatchObject({
      reason: "throttled",
      status: null,
      retryAt: clock.now() + 20_000,
      retryAfterSeconds: 20,
    });
    expect(server.requests).toHaveLength(1);
  });

  it("5xx is tried again once; Retry-After of the Status counts as well", async () => {
    const clock = new FakeClock();
    const server = await serve((request, response) => {
      const details = request.url === "/details" ? { details: { retryAfterSeconds: 3 } } : {};
      status(503, "starting", {}, details)(request, response);
    });
    const { client } = await clientOf(server.url, { clock });
    for (const [path, pause] of [
      ["/plain", 500],
      ["/details", 3000],
    ] as const) {
      const failed = failureOf(client.getJson(path));
      await expect.poll(() => clock.pausesMs.includes(pause), { timeout: 10_000 }).toBe(true);
      await clock.advance(pause);
      expect(await failed).toMatchObject({ reason: "server-error", status: 503 });
    }
    expect(server.paths()).toEqual(["/plain", "/plain", "/details", "/details"]);
  });
});

describe("answers that go wrong", () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const zipped = gzipSync(JSON.stringify({ text: "x".repeat(1000) }));
  const gzipHead = `${head}content-encoding: gzip\r\nconnection: close\r\n`;

  it.each<[string, string | Buffer, string, RegExp]>([
    [
      "a body shorter than announced",
      `${head}content-length: 100\r\n\r\n{"a":1`,
      "truncated",
      /closed inside the body/,
    ],
    [
      "chunks that end early",
      `${head}transfer-encoding: chunked\r\n\r\n6\r\n{"a":1\r\n`,
      "truncated",
      /closed inside the body/,
    ],
    [
      "chunks that are none",
      `${head}transfer-encoding: chunked\r\n\r\nzz\r\n{"a":1\r\n`,
      "bad-body",
      /no HTTP/,
    ],
    ["an empty body", `${head}content-length: 0\r\n\r\n`, "bad-body", /the body is empty/],
    [
      "no JSON",
      `${head}content-length: 5\r\n\r\nhello`,
      "bad-body",
      /expected JSON, got application\/json that begins with "hello"/,
    ],
    ["half of JSON", `${head}content-length: 6\r\n\r\n{"a":1`, "bad-body", /expected JSON/],
    [
      "gzip that ends early",
      Buffer.concat([Buffer.from(`${gzipHead}\r\n`), zipped.subarray(0, 20)]),
      "truncated",
      /compressed body ended/,
    ],
    ["gzip that is none", `${gzipHead}\r\nhello`, "bad-body", /said to be gzip and is not/],
    [
      "an encoding that was not asked for",
      `${head}content-encoding: br\r\ncontent-length: 2\r\n\r\n{}`,
      "bad-body",
      /encoding br/,
    ],
    ["no HTTP", "hello\r\n\r\n", "bad-body", /no HTTP/],
    ["headers that do not end", `${head}${"x: y\r\n".repeat(20_000)}\r\n`, "too-large", /headers/],
  ])("%s", async (_, answer, reason, message) => {
    const { client } = await clientOf(await serveRaw(answer), { user: USER });
    const error = await failureOf(client.getJson("/version"));
    expect(error).toMatchObject({ reason });
    expect(error.message).toMatch(message);
  });

  it("a connection that is closed before an answer is tried again once", async () => {
    let connections = 0;
    const clock = new FakeClock();
    const url = await serveRaw("", (socket) => {
      connections++;
      socket.destroy();
    });
    const { client } = await clientOf(url, { clock });
    const failed = failureOf(client.getJson("/version"));
    await expect.poll(() => clock.pausesMs.includes(500), { timeout: 10_000 }).toBe(true);
    await clock.advance(500);
    expect(await failed).toMatchObject({ reason: "unreachable", status: null, code: "UND_ERR_SOCKET" });
    expect(connections).toBe(2);
  });

  it("a port where nothing listens, and a name that nobody knows, are unreachable at once", async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const { client } = await clientOf(`http://127.0.0.1:${port}`);
    const error = await failureOf(client.getJson("/version"));
    expect(error).toMatchObject({ reason: "unreachable", code: "ECONNREFUSED", server: `127.0.0.1:${port}` });
    expect(toReadFailure(error)).toMatchObject({ verb: "GET", path: "/version", status: null });
    const { client: lost } = await clientOf("http://no-such-host.invalid");
    expect((await failureOf(lost.getJson("/version"))).reason).toBe("unreachable");
  });

  it("a server that never answers meets the deadline for headers", async () => {
    const { client } = await clientOf(await serveRaw("", () => undefined));
    const error = await failureOf(client.getJson("/version", { limits: { headersSeconds: 0.05 } }));
    expect(error).toMatchObject({ reason: "timeout", status: null });
    expect(error.message).toMatch(/no answer within 0.05 s/);
  });

  it("a body that drips for ever meets the deadline for the whole", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("x\n"), 5);
      response.on("close", () => clearInterval(drip));
    });
    const { client } = await clientOf(server.url);
    const limits = { totalSeconds: 0.5 };
    for (const read of [
      client.getText("/livez", { limits }),
      client.scanMetrics({ names: new MetricNames(["x"]), onSample: () => undefined, limits }),
      client.listAll("/api/v1/nodes", { limits }),
    ]) {
      expect(await failureOf(read)).toMatchObject({ reason: "timeout", status: 200 });
    }
  });

  it("the deadline of the scope bounds a read, whatever its own limits say", async () => {
    const { client } = await clientOf(await serveRaw("", () => undefined));
    const error = await failureOf(client.scoped({ deadlineAt: Date.now() + 300 }).getJson("/version"));
    expect(error.reason).toBe("timeout");
  });

  it("who gives up gets aborted, and the connection is closed", async () => {
    let isClosed = false;
    const controller = new AbortController();
    const url = await serveRaw("", (socket) => {
      socket.on("close", () => {
        isClosed = true;
      });
      controller.abort();
    });
    const { client, budget } = await clientOf(url);
    expect((await failureOf(client.getJson("/version", { signal: controller.signal }))).reason).toBe(
      "aborted",
    );
    await expect.poll(() => isClosed, { timeout: 10_000 }).toBe(true);
    expect((await failureOf(client.scoped({ signal: controller.signal }).getJson("/version"))).reason).toBe(
      "aborted",
    );
    expect(budget.state().servers.some((server) => server.isBusy)).toBe(false);
  });

  it("closing the client ends what is under way", async () => {
    const { client } = await clientOf(await serveRaw("", () => undefined));
    const failed = failureOf(client.getJson("/version"));
    await client.close();
    expect((await failed).reason).toBe("aborted");
  });

  it("a small body that unpacks to a huge one is stopped at the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 0x20));
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const { client } = await clientOf(server.url);
    const error = await failureOf(client.getText("/x", { limits: { decodedBytes: 1_000_000 } }));
    expect(error).toMatchObject({ reason: "too-large", status: 200 });
    expect(error.message).toMatch(/limit of 1000000 bytes after decompression/);
    expect(client.cost().decodedBytes).toBeLessThan(1_200_000);
  });

  it("an answer beyond the limit on the wire is not begun where its length is announced, else stopped", async () => {
    const server = await serve((request, response) => {
      const body = Buffer.alloc(1_000_000, 0x20);
      response.writeHead(200, request.url === "/known" ? { "content-length": body.length } : {}).end(body);
    });
    const { client } = await clientOf(server.url);
    const limits = { wireBytes: 100_000 };
    const known = await failureOf(client.getText("/known", { limits }));
    expect(known.message).toMatch(/the answer has 1000000 bytes, more than the limit of 100000 on the wire/);
    expect(client.cost().decodedBytes).toBe(0);
    expect((await failureOf(client.getText("/unknown", { limits }))).reason).toBe("too-large");
  });
});

describe("the budget", () => {
  const large: Handler = (request, response) => {
    const body = Buffer.alloc(300_000, 0x20);
    response.writeHead(200, request.url === "/known" ? { "content-length": body.length } : {}).end(body);
  };

  it("an answer that would never fit says so with the figure to raise, and is not asked for again for a while", async () => {
    const server = await serve(large);
    const { client } = await clientOf(server.url, { limits: { bytesPerMinute: 200_000 } });
    for (const path of ["/known", "/unknown"]) {
      const error = await failureOf(client.scoped({ deadlineAt: Date.now() + 60_000 }).getText(path));
      expect(error.reason).toBe("budget");
      expect(error.budget).toMatchObject({ setting: "bytesPerMinute", current: 200_000 });
    }
    const again = await failureOf(client.getText("/known"));
    expect(again.budget?.neededAtLeast).toBeGreaterThanOrEqual(300_000);
    expect(again.message).toMatch(/raise it to at least 300\d{3}/);
    expect(server.paths()).toEqual(["/known", "/unknown"]);
  });

  it("an answer that exceeds what is left waits for room the next time instead of being stopped again", async () => {
    const clock = new FakeClock();
    const server = await serve(large);
    const { client } = await clientOf(server.url, { clock, limits: { bytesPerMinute: 400_000 } });
    await client.getText("/unknown");
    const error = await failureOf(client.getText("/known"));
    expect(error).toMatchObject({ reason: "budget", budget: { neededAtLeast: null } });
    const again = client.getText("/known");
    await clock.advance(60_000);
    expect((await again).status).toBe(200);
  });

  it("requests per minute beyond the deadline are denied with the setting's name", async () => {
    const clock = new FakeClock();
    const server = await serve(json({}));
    const { client } = await clientOf(server.url, { clock, limits: { requestsPerMinute: 1 } });
    await client.getJson("/a");
    const error = await failureOf(client.scoped({ deadlineAt: clock.now() + 1000 }).getJson("/b"));
    expect(error).toMatchObject({
      reason: "budget",
      budget: { setting: "requestsPerMinute", current: 1 },
      retryAt: clock.now() + 60_000,
    });
    expect(server.paths()).toEqual(["/a"]);
  });

  it("a server is asked one thing at a time, whatever asks", async () => {
    let running = 0;
    let most = 0;
    const server = await serve((_, response) => {
      most = Math.max(most, ++running);
      setImmediate(() => {
        running--;
        response.end("{}");
      });
    });
    const { client } = await clientOf(server.url);
    const direct = client.withAddress(`127.0.0.1:${server.port}`);
    await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 ? client : direct).getJson("/x")));
    expect(most).toBe(1);
  });
});

describe("credentials", () => {
  it("never show: not in any error, whatever the server echoes, nor in the client itself", async () => {
    const server = await serve((request, response) => {
      const echoed = `you sent ${request.headers.authorization} (${Buffer.from(PLANTED).toString("base64")})`;
      switch (request.url) {
        case "/status":
          return status(403, echoed)(request, response);
        case "/text":
          return response.writeHead(403).end(echoed);
        case "/redirect":
          return response.writeHead(307, { location: `/login?token=${PLANTED}` }).end();
        case "/json":
          return response.end(echoed);
        case "/list":
          return response.end(`{"kind":"${echoed}","metadata":{}}`);
        default:
          return response.end(`${echoed}\n`);
      }
    });
    const { client, target, budget } = await clientOf(server.url, { user: USER });
    const errors: ApiServerError[] = [
      await failureOf(client.getJson("/status")),
      await failureOf(client.getJson("/text")),
      await failureOf(client.getJson("/redirect")),
      await failureOf(client.getJson("/json")),
      await failureOf(client.getJson(`/path-${PLANTED}`)),
      await failureOf(client.listAll("/list")),
      await failureOf(client.scanMetrics({ names: new MetricNames(["x"]), onSample: () => undefined })),
    ];
    expect(errors.map((error) => error.reason)).toEqual([
      "forbidden",
      "forbidden",
      "redirect",
      "bad-body",
      "bad-body",
      "bad-body",
      "bad-body",
    ]);
    const shown = [...errors, ...errors.map(toReadFailure), client, target, budget];
    const forms = [PLANTED, Buffer.from(PLANTED).toString("base64")];
    for (const each of shown) {
      for (const text of [
        String(each),
        JSON.stringify(each),
        inspect(each, { depth: 12, showHidden: true, getters: true }),
      ]) {
        for (const form of forms) expect(text).not.toContain(form);
      }
    }
  });

  it("that cannot be had end in `credentials`, and nothing is sent", async () => {
    const server = await serve(json({}));
    const { client } = await clientOf(server.url, { user: { tokenFile: "gone" } });
    const error = await failureOf(client.getJson("/version"));
    expect(error).toMatchObject({ reason: "credentials", status: null });
    expect(error.message).toMatch(/the token file .*gone cannot be read/);
    expect(server.requests).toEqual([]);
  });
});

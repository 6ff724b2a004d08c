import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { inspect } from "node:util";
import { queryObjects } from "node:v8";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type Authority,
  createAuthority,
  issueClientCertificate,
  issueServingCertificate,
} from "../../e2e/testbed/certificates.ts";
import { MetricNames } from "./metric-names.ts";
import { clientOf, failureOf, listen, serve } from "./test-support/client.ts";

const PLANTED = "planted-secret-Zx81";
/** Kept, so that it counts before and after. */
const ANY_CONTEXT = createSecureContext();
const base64 = (text: string) => Buffer.from(text).toString("base64");

let authority: Authority;
beforeAll(() => {
  authority = createAuthority("test");
});

/** An API server over TLS whose certificate is valid for `hosts`. */
async function serveTls(hosts: readonly string[], options: { askForClientCertificate?: boolean } = {}) {
  const { certificatePem, keyPem } = issueServingCertificate(authority, { commonName: "server", hosts });
  const names: (string | false)[] = [];
  const server = await serve(
    (request, response) => {
      const socket = request.socket;
      if ("servername" in socket)
        names.push(typeof socket.servername === "string" ? socket.servername : false);
      const peer = "getPeerCertificate" in socket ? clientName(socket) : null;
      response.setHeader("content-type", "application/json").end(JSON.stringify({ peer }));
    },
    {
      cert: certificatePem,
      key: keyPem,
      ca: authority.certificatePem,
      requestCert: options.askForClientCertificate === true,
      rejectUnauthorized: options.askForClientCertificate === true,
    },
  );
  return { ...server, names };
}

function clientName(socket: object): string | null {
  const get: unknown = Reflect.get(socket, "getPeerCertificate");
  const certificate: unknown = typeof get === "function" ? Reflect.apply(get, socket, []) : null;
  const subject: unknown =
    typeof certificate === "object" && certificate !== null ? Reflect.get(certificate, "subject") : null;
  const name: unknown = typeof subject === "object" && subject !== null ? Reflect.get(subject, "CN") : null;
  return typeof name === "string" ? name : null;
}

const ca = () => ({ "certificate-authority-data": base64(authority.certificatePem) });

describe("TLS", () => {
  it("the certificate is checked against the CA of the kubeconfig, as data or file", async () => {
    const server = await serveTls(["127.0.0.1"]);
    const { client } = await clientOf(server.url, { clusterFields: ca() });
    expect((await client.getJson("/version")).status).toBe(200);
    const { client: fromFile, folder } = await clientOf(server.url, {
      clusterFields: { "certificate-authority": "ca.pem" },
    });
    await folder.write("ca.pem", authority.certificatePem);
    expect((await fromFile.getJson("/version")).status).toBe(200);
  });

  it("another CA, no CA, a name that does not fit and plain HTTP behind https end in tls", async () => {
    const server = await serveTls(["example.com"]);
    const other = createAuthority("other");
    const plainServer = await serve((_, response) => response.end("{}"));
    const cases: readonly [string, Record<string, unknown>, RegExp][] = [
      [server.url, { "certificate-authority-data": base64(other.certificatePem) }, /CA/],
      [server.url, {}, /signed by/],
      [server.url, ca(), /not valid for this address/],
      [plainServer.url.replace("http:", "https:"), ca(), /does not speak TLS|TLS handshake failed/],
    ];
    for (const [url, clusterFields, message] of cases) {
      const { client } = await clientOf(url, { clusterFields });
      const error = await failureOf(client.getJson("/version"));
      expect(error).toMatchObject({ reason: "tls", status: null });
      expect(error.message).toMatch(message);
    }
    expect(server.requests).toEqual([]);
  });

  it("insecure-skip-tls-verify works, and is told", async () => {
    const server = await serveTls(["example.com"]);
    const { client } = await clientOf(server.url, { clusterFields: { "insecure-skip-tls-verify": true } });
    expect((await client.getJson("/version")).status).toBe(200);
    expect(client.insecureSkipTlsVerify).toBe(true);
  });

  it("tls-server-name is sent and checked instead of the address", async () => {
    const server = await serveTls(["kube.example"]);
    const { client } = await clientOf(server.url, {
      clusterFields: { ...ca(), "tls-server-name": "kube.example" },
    });
    expect((await client.getJson("/version")).status).toBe(200);
    expect(server.names).toEqual(["kube.example"]);
    const { client: wrong } = await clientOf(server.url, {
      clusterFields: { ...ca(), "tls-server-name": "x.example" },
    });
    expect((await failureOf(wrong.getJson("/version"))).reason).toBe("tls");
    const byAddress = await serveTls(["127.0.0.1"]);
    const { client: address } = await clientOf(`https://localhost:${byAddress.port}`, {
      clusterFields: { ...ca(), "tls-server-name": "127.0.0.1" },
    });
    expect((await address.getJson("/version")).status).toBe(200);
  });

  it("a client certificate is presented, and replaced connections use the new one", async () => {
    const server = await serveTls(["127.0.0.1"], { askForClientCertificate: true });
    const { client, folder } = await clientOf(server.url, {
      clusterFields: ca(),
      user: { "client-certificate": "me.pem", "client-key": "me.key" },
    });
    for (const commonName of ["jane", "joe"]) {
      const { certificatePem, keyPem } = issueClientCertificate(authority, { commonName });
      await folder.write("me.pem", certificatePem);
      await folder.write("me.key", keyPem);
      expect((await client.getJson("/version")).value).toEqual({ peer: commonName });
    }
    const { client: nobody } = await clientOf(server.url, { clusterFields: ca() });
    expect(["tls", "unreachable"]).toContain((await failureOf(nobody.getJson("/version"))).reason);
  });

  it("the addresses and connections of a cluster share one set of certificates in memory", async () => {
    const server = await serveTls(["127.0.0.1"]);
    const { certificatePem, keyPem } = issueClientCertificate(authority, { commonName: "jane" });
    const { client } = await clientOf(server.url, {
      clusterFields: ca(),
      user: { "client-certificate-data": base64(certificatePem), "client-key-data": base64(keyPem) },
    });
    const contexts = () => Number(queryObjects(ANY_CONTEXT.constructor));
    const before = contexts();
    await client.getJson("/version");
    await client.withAddress(`127.0.0.1:${server.port}`).getJson("/version");
    for (const name of ["a", "b", "c"]) await client.onConnection(name).getJson("/version");
    expect(new Set(server.requests.map(({ socket }) => socket.remotePort)).size).toBe(5);
    expect(contexts() - before).toBe(1);
  });

  it("a client certificate that cannot be used ends in tls, and its key is not shown", async () => {
    const server = await serveTls(["127.0.0.1"]);
    const pem = (what: string) => `-----BEGIN ${what}-----\n${PLANTED}\n-----END ${what}-----\n`;
    const { client } = await clientOf(server.url, {
      clusterFields: ca(),
      user: {
        "client-certificate-data": base64(pem("CERTIFICATE")),
        "client-key-data": base64(pem("PRIVATE KEY")),
      },
    });
    const error = await failureOf(client.getJson("/version"));
    expect(error.reason).toBe("tls");
    expect(error.message).toMatch(/cannot be used/);
    expect(inspect(error, { depth: 9 })).not.toContain(PLANTED);
  });
});

describe("withAddress", () => {
  it("reads one server directly with the same credentials; its certificate may hold a name of the cluster instead", async () => {
    const shared = await serveTls(["127.0.0.1"]);
    const { client } = await clientOf(`${shared.url}/prefix`, {
      clusterFields: ca(),
      user: { token: PLANTED },
    });
    for (const hosts of [["127.0.0.1"], ["kubernetes", "kubernetes.default.svc"]]) {
      const server = await serveTls(hosts);
      const direct = client.withAddress(`127.0.0.1:${server.port}`);
      expect(direct.server).toBe(`127.0.0.1:${server.port}`);
      expect((await direct.getJson("/version")).status).toBe(200);
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${PLANTED}`);
      expect(server.paths()).toEqual(["/version"]);
    }
    expect(shared.requests).toEqual([]);
  });

  it("never sends credentials to a server with a certificate for something else, or of another CA", async () => {
    const shared = await serveTls(["127.0.0.1"]);
    const { client } = await clientOf(shared.url, { clusterFields: ca(), user: { token: PLANTED } });
    const stranger = await serveTls(["other.example"]);
    expect(
      (await failureOf(client.withAddress(`127.0.0.1:${stranger.port}`).getJson("/version"))).reason,
    ).toBe("tls");
    authority = createAuthority("another");
    const foreign = await serveTls(["127.0.0.1", "kubernetes"]);
    expect(
      (await failureOf(client.withAddress(`127.0.0.1:${foreign.port}`).getJson("/version"))).reason,
    ).toBe("tls");
    expect([stranger.requests, foreign.requests]).toEqual([[], []]);
  });

  it("a server name that is given is the only one that counts", async () => {
    const server = await serveTls(["api-0.example", "kubernetes"]);
    const { client } = await clientOf(server.url, { clusterFields: ca() });
    const address = `127.0.0.1:${server.port}`;
    expect((await client.withAddress(address, { serverName: "api-0.example" }).getJson("/x")).status).toBe(
      200,
    );
    expect(server.names).toEqual(["api-0.example"]);
    const wrong = client.withAddress(address, { serverName: "api-1.example" });
    expect((await failureOf(wrong.getJson("/x"))).reason).toBe("tls");
  });

  it.each(["10.0.0.1", "http://10.0.0.1:1", "a:b@c:1", "h:1/x", "[::1]", "h:99999999"])(
    "%s is no address",
    async (address) => {
      const { client } = await clientOf("https://127.0.0.1:1");
      expect(() => client.withAddress(address)).toThrow(/expected host:port/);
    },
  );

  it("an IPv6 address goes in brackets", async () => {
    const { client } = await clientOf("https://127.0.0.1:1");
    expect(client.withAddress("[fd00::1]:6443").server).toBe("[fd00::1]:6443");
  });
});

describe("onConnection", () => {
  it("a name keeps one connection through the shared address, until it is renewed", async () => {
    const server = await serveTls(["127.0.0.1"]);
    const { client } = await clientOf(server.url, { clusterFields: ca() });
    const ports = async (connection: string, times: number) => {
      const before = server.requests.length;
      for (let turn = 0; turn < times; turn++) await client.onConnection(connection).getJson("/version");
      return [...new Set(server.requests.slice(before).map((request) => request.socket.remotePort))];
    };
    const [a, ...others] = await ports("a", 3);
    expect(others).toEqual([]);
    expect(await ports("b", 2)).not.toContain(a);
    expect(await ports("a", 1)).toEqual([a]);
    await client.onConnection("a").renewConnection();
    expect(await ports("a", 1)).not.toEqual([a]);
  });

  it("a result names the connection that answered: the same name, the same one", async () => {
    const server = await serve((_, response) =>
      response.setHeader("content-type", "text/plain").end("process_start_time_seconds 1\n"),
    );
    const { client } = await clientOf(server.url);
    const by = (name: string) => client.onConnection(name);
    const first = (await by("a").getText("/version")).connectionId;
    const scan = { names: new MetricNames(["process_start_time_seconds"]), onSample: () => undefined };
    expect(first).not.toBeNull();
    expect((await by("a").scanMetrics(scan)).connectionId).toBe(first);
    expect((await by("b").getText("/version")).connectionId).not.toBe(first);
    // Closed from the other side: the next answer is by another one, and says so.
    const closed = new Promise((resolve) => server.requests[0]?.socket.once("close", resolve));
    server.requests[0]?.socket.destroy();
    await closed;
    const second = (await by("a").getText("/version")).connectionId;
    expect(second).not.toBe(first);
    await by("a").renewConnection();
    expect((await by("a").getText("/version")).connectionId).not.toBe(second);
    // Without a name it is not told.
    expect((await client.getText("/version")).connectionId).toBeNull();
  });

  it("a connection that leads to one server counts against that one alone, and is the same connection", async () => {
    const server = await serve((_, response) => response.end("{}"));
    const { client, budget } = await clientOf(server.url);
    const left = () => budget.state().servers.map(({ requestsLeft }) => requestsLeft);
    const any = await client.onConnection("a").getText("/version");
    expect(left()).toEqual([89]);
    const one = await client.onConnection("a", { isOneServer: true }).getText("/version");
    expect(one.connectionId).toBe(any.connectionId);
    expect(left()).toEqual([89, 88]);
    await client.onConnection("b").getText("/version");
    expect(left()).toEqual([88, 87]);
  });
});

describe("connections to one address", () => {
  it.each(["the kubeconfig's own", "a server's"])(
    "%s address has one, whatever is asked of it; where a read gives up, the next opens another",
    async (whose) => {
      const server = await serve((request, response) => {
        if (request.url === "/endless") response.write("x".repeat(2000));
        else response.end("{}");
      });
      const { client } = await clientOf(server.url);
      const reader = whose === "a server's" ? client.withAddress(`127.0.0.1:${server.port}`) : client;
      for (let turn = 0; turn < 5; turn++) await reader.getText(`/turn-${turn}`);
      await Promise.all(["/a", "/b", "/c", "/d"].map((path) => reader.getText(path)));
      const ports = () => new Set(server.requests.map(({ socket }) => socket.remotePort)).size;
      expect({ requests: server.requests.length, ports: ports() }).toEqual({ requests: 9, ports: 1 });
      const error = await failureOf(reader.getText("/endless", { limits: { decodedBytes: 1000 } }));
      expect(error.reason).toBe("too-large");
      expect((await reader.getText("/after")).text).toBe("{}");
      expect(ports()).toBe(2);
    },
  );
});

describe("proxy-url", () => {
  /** A proxy that tunnels, and tells what it was asked. */
  async function tunnelProxy(status = "200 Connection established") {
    const asked: { target: string; authorization: string | undefined }[] = [];
    const sockets = new Set<Socket>();
    const server = createHttpServer((request, response) => {
      asked.push({ target: request.url ?? "", authorization: request.headers["proxy-authorization"] });
      response.setHeader("content-type", "application/json").end("{}");
    });
    server.on("connect", (request, socket: Socket, head) => {
      asked.push({ target: request.url ?? "", authorization: request.headers["proxy-authorization"] });
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
      if (!status.startsWith("200")) {
        socket.end();
        return;
      }
      const [host, port] = (request.url ?? "").split(":");
      const upstream = connect(Number(port), host);
      for (const each of [socket, upstream]) {
        sockets.add(each);
        each.on("error", () => undefined);
      }
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
      socket.on("close", () => upstream.destroy());
    });
    return { port: await listen(server), asked };
  }

  it("http: TLS goes through a tunnel and is checked as ever; the password goes to the proxy only", async () => {
    const server = await serveTls(["127.0.0.1"]);
    const proxy = await tunnelProxy();
    const { client } = await clientOf(server.url, {
      clusterFields: { ...ca(), "proxy-url": `http://me:${PLANTED}@127.0.0.1:${proxy.port}` },
    });
    expect((await client.getJson("/version")).status).toBe(200);
    const named = client.onConnection("a");
    const ids = [await named.getText("/a"), await named.getText("/b")].map((each) => each.connectionId);
    expect(ids[0]).not.toBeNull();
    expect(ids[1]).toBe(ids[0]);
    const tunnel = { target: `127.0.0.1:${server.port}`, authorization: `Basic ${base64(`me:${PLANTED}`)}` };
    expect(proxy.asked).toEqual([tunnel, tunnel]);
    expect(server.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
    expect(inspect(client, { depth: 12, showHidden: true })).not.toContain(PLANTED);
  });

  it("http: a plain HTTP server is asked for by its whole URL", async () => {
    const proxy = await tunnelProxy();
    const { client } = await clientOf("http://127.0.0.1:1", {
      clusterFields: { "proxy-url": `http://127.0.0.1:${proxy.port}` },
    });
    await client.getJson("/version");
    expect(proxy.asked[0]?.target).toBe("http://127.0.0.1:1/version");
  });

  it("a proxy that refuses is named as such", async () => {
    const server = await serveTls(["127.0.0.1"]);
    const proxy = await tunnelProxy("407 Proxy Authentication Required");
    const { client } = await clientOf(server.url, {
      clusterFields: { ...ca(), "proxy-url": `http://me:${PLANTED}@127.0.0.1:${proxy.port}` },
    });
    const error = await failureOf(client.getJson("/version"));
    expect(error).toMatchObject({ reason: "unreachable" });
    expect(error.message).toMatch(/the proxy answered 407/);
    expect(inspect(error)).not.toContain(PLANTED);
  });

  it("a proxy that is not there is unreachable", async () => {
    const { client } = await clientOf("https://127.0.0.1:1", {
      clusterFields: { "proxy-url": "http://127.0.0.1:1" },
    });
    expect((await failureOf(client.getJson("/version"))).reason).toBe("unreachable");
  });

  it.each(["socks5", "socks5h"])(
    "%s: the proxy is asked for the target, and TLS is checked as ever",
    async (scheme) => {
      const server = await serveTls(["localhost"]);
      const targets: string[] = [];
      const proxy = createServer((socket) => {
        socket.on("error", () => undefined);
        socket.once("data", () => {
          socket.write(Buffer.from([5, 0]));
          socket.once("data", (request) => {
            // VER CMD RSV ATYP(3: a name) LENGTH name PORT
            const length = request[4] ?? 0;
            targets.push(request.subarray(5, 5 + length).toString());
            const upstream = connect(request.readUInt16BE(5 + length), "127.0.0.1");
            upstream.on("error", () => undefined);
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            upstream.pipe(socket).pipe(upstream);
            socket.on("close", () => upstream.destroy());
          });
        });
      });
      const port = await listen(proxy);
      const { client } = await clientOf(`https://localhost:${server.port}`, {
        clusterFields: { ...ca(), "proxy-url": `${scheme}://127.0.0.1:${port}` },
      });
      expect((await client.getJson("/version")).status).toBe(200);
      expect(targets).toEqual(["localhost"]);
      const { client: distrustful } = await clientOf(`https://localhost:${server.port}`, {
        clusterFields: { "proxy-url": `${scheme}://127.0.0.1:${port}` },
      });
      expect((await failureOf(distrustful.getJson("/version"))).reason).toBe("tls");
    },
  );
});

import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { FakeApiServer } from "../lib/fake-api-server/index.ts";
import { writeKubeconfig } from "./fixtures/clusters.ts";
import { type Headroom, runHeadroom } from "./fixtures/headroom.ts";
import { rawRequest } from "./fixtures/raw-request.ts";
import { expect, test } from "./fixtures/test.ts";
import { waitForFirstPass } from "./fixtures/wait-for-data.ts";
import { openPage } from "./pages/open-page.ts";
import { SettingsPage } from "./pages/settings-page.ts";

/** Credentials that must never come out again, each where one can be. */
const PLANTED = {
  good: "planted-bearer-token-that-works-4c1f",
  refused: "planted-bearer-token-that-is-refused-77ab",
  hanging: "planted-bearer-token-of-a-silent-server-90de",
  exec: "planted-secret-on-the-output-of-an-exec-plugin-3e55",
  broken: "planted-token-in-a-file-that-does-not-parse-b0b0",
} as const;

let headroom: Headroom;
let ids: ReadonlyMap<string, string>;
let folder: string;

test.beforeAll(async ({ sharedBench }) => {
  test.setTimeout(180_000);
  folder = sharedBench.folder;
  const reader = (token: string) =>
    [
      {
        token,
        user: "reader",
        groups: [],
        rules: [
          { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] },
          { nonResourceURLs: ["*"], verbs: ["get"] },
        ],
      },
    ] as const;
  const good = await sharedBench.cluster({ name: "good", identities: reader(PLANTED.good) });
  const refused = await sharedBench.cluster({
    name: "refused",
    identities: reader(PLANTED.refused),
    faults: [{ fault: { kind: "status", code: 401 } }],
  });
  const hanging = await sharedBench.cluster({
    name: "hanging",
    identities: reader(PLANTED.hanging),
    faults: [{ fault: { kind: "hang" } }],
  });
  headroom = await sharedBench.headroom({
    folder,
    kubeconfigs: [await writeKubeconfig(folder, [good, refused, hanging]), await writeExecKubeconfig(good)],
    environment: { LOG_LEVEL: "trace" },
  });
  ids = await waitForFirstPass(headroom, ["good", "refused", "hanging", "by-plugin"]);
});

/** A plugin that fails with a secret on both outputs. */
async function writeExecKubeconfig(cluster: FakeApiServer): Promise<string> {
  const path = join(folder, "with-plugin");
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    interactiveMode: "Never",
    command: "/bin/sh",
    args: ["-c", `echo "token: ${PLANTED.exec}"; echo "Authorization: Bearer ${PLANTED.exec}" >&2; exit 1`],
  };
  const { url } = cluster;
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "by-plugin", cluster: { server: url } }],
      users: [{ name: "by-plugin", user: { exec } }],
      contexts: [{ name: "by-plugin", context: { cluster: "by-plugin", user: "by-plugin" } }],
    }),
  );
  return path;
}

/** What was planted and is found in a text, also in base64. */
const leaksIn = (text: string): readonly string[] =>
  Object.values(PLANTED).filter(
    (secret) =>
      text.includes(secret) || text.includes(Buffer.from(secret).toString("base64").replace(/=+$/, "")),
  );

test("no credential is in any answer, log line or byte of the store", async ({ page }) => {
  test.slow();
  // A file that does not parse, and one whose server refuses, by the page as well.
  const broken = join(folder, "broken");
  await writeFile(broken, `users: [{ name: a, user: { token: ${PLANTED.broken} } }\n`);
  const answers: { readonly what: string; readonly text: string }[] = [];
  page.on("response", async (response) => {
    const headers = (await response.headersArray()).map(({ name, value }) => `${name}: ${value}`).join("\n");
    answers.push({ what: response.url(), text: `${headers}\n${await response.text().catch(() => "")}` });
  });
  const settings = new SettingsPage(page);
  await settings.open(headroom.url);
  await settings.test(broken, "");
  await expect(settings.addPanel).toContainText("The cluster could not be read.");
  await settings.test(join(folder, "kubeconfig"), "refused");
  await expect(settings.addPanel).toContainText("the credentials were refused");
  await openPage(page, headroom.url);
  await expect(page.getByRole("main")).toContainText("the credentials were refused");
  for (const name of ids.keys()) {
    for (const tab of ["", "/fairness", "/history"]) {
      await openPage(page, `${headroom.url}/clusters/${ids.get(name)}${tab}`);
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    }
  }
  const { paths } = await headroom.ask<{ readonly paths: Readonly<Record<string, { get?: object }>> }>(
    "/api/openapi.json",
  );
  const reads = Object.entries(paths).filter(([, methods]) => methods.get !== undefined);
  expect(reads.length).toBeGreaterThan(8);
  for (const [path] of [...reads, ["/api/openapi.json"], ["/metrics"], ["/readyz"], ["/livez"]] as const) {
    for (const id of path.includes("{clusterId}") ? ids.values() : [""]) {
      const answer = await rawRequest(`${headroom.url}${path.replace(/\{\w+\}/, id)}`);
      answers.push({ what: path, text: answer.text });
    }
  }
  expect(answers.length).toBeGreaterThan(60);
  expect(answers.flatMap(({ what, text }) => leaksIn(text).map((secret) => `${secret} in ${what}`))).toEqual(
    [],
  );

  const output = headroom.output();
  expect(output.includes('"reason":"unauthorized"'), "the log tells of the refused credential").toBe(true);
  expect(leaksIn(output)).toEqual([]);
  const files = (await readdir(folder)).filter((name) => name.startsWith("headroom.db"));
  expect(files).toContain("headroom.db");
  for (const file of files) {
    expect(leaksIn((await readFile(join(folder, file))).toString("latin1")), file).toEqual([]);
  }
  // The search itself finds what is there.
  expect(leaksIn(await readFile(join(folder, "kubeconfig"), "utf8"))).toHaveLength(3);
});

test("why a plugin failed is said without what it wrote", async ({ page }) => {
  await openPage(page, `${headroom.url}/clusters/${ids.get("by-plugin")}`);
  await expect(page.getByRole("main")).toContainText(/exec plugin .*(?:exit|ended|failed)/i);
});

for (const [what, headers] of [
  ["another origin", { origin: "https://evil.example.com", "content-type": "application/json" }],
  ["another port of this machine", { origin: "http://127.0.0.1:9", "content-type": "application/json" }],
  ["another site", { "sec-fetch-site": "cross-site", "content-type": "application/json" }],
  ["a form without an origin", { "content-type": "application/x-www-form-urlencoded" }],
  ["an origin that is hidden", { origin: "null", "content-type": "text/plain" }],
] as const) {
  test(`a change asked for by ${what} is refused and changes nothing`, async () => {
    interface Review {
      readonly total: number;
      readonly acknowledgedTotal: number;
      readonly lastReviewAt: number | null;
    }
    const before = await headroom.ask<Review>("/api/changes");
    expect(before.total).toBeGreaterThan(0);
    const body = JSON.stringify({ allUpTo: Date.now() });
    const answer = await rawRequest(`${headroom.url}/api/changes/acknowledge`, {
      method: "POST",
      headers,
      body,
    });
    expect(answer.status).toBe(403);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(JSON.parse(answer.body)).toMatchObject({ code: "cross-site" });
    const after = await headroom.ask<Review>("/api/changes");
    expect(after).toMatchObject({ acknowledgedTotal: 0, lastReviewAt: null });
  });
}

test("a page of another site cannot remove a cluster or read an answer", async ({ page, complaints }) => {
  complaints.allow(/./);
  const site = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Elsewhere</title>");
  }).listen(0, "127.0.0.1");
  try {
    await new Promise((resolve) => site.once("listening", resolve));
    const address = site.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await page.goto(`http://localhost:${port}/`);
    const outcome = await page.evaluate(async (url) => {
      const read = await fetch(`${url}/api/fleet`).then(
        () => "read",
        () => "refused",
      );
      const written = await fetch(`${url}/api/changes/acknowledge`, {
        method: "POST",
        mode: "no-cors",
        body: JSON.stringify({ allUpTo: Date.now() }),
      }).then(
        () => "sent",
        () => "refused",
      );
      return { read, written };
    }, headroom.url);
    expect(outcome.read).toBe("refused");
    const { acknowledgedTotal } = await headroom.ask<{ readonly acknowledgedTotal: number }>("/api/changes");
    expect(acknowledgedTotal).toBe(0);
    const framed = await rawRequest(headroom.url);
    expect(framed.headers["x-frame-options"]).toBe("DENY");
  } finally {
    site.close();
  }
});

test("a foreign name in the Host header is refused; loopback names are served", async () => {
  for (const host of ["evil.example.com", "evil.example.com:80", "10.0.0.7", "127.0.0.1.evil.example.com"]) {
    const answer = await rawRequest(`${headroom.url}/api/fleet`, { headers: { host } });
    expect(answer.status, host).toBe(421);
    expect(answer.body).not.toContain("good");
    expect((await rawRequest(`${headroom.url}/`, { headers: { host } })).status, host).toBe(421);
  }
  for (const host of ["localhost", `localhost:${headroom.port}`, "127.0.0.1", "[::1]:3000"]) {
    expect((await rawRequest(`${headroom.url}/api/fleet`, { headers: { host } })).status, host).toBe(200);
  }
});

test("pages carry a policy that runs scripts of ours only, with a number used once", async ({
  page,
  complaints,
}) => {
  const nonces = new Set<string>();
  for (const path of ["/", "/first-run", `/clusters/${ids.get("good")}`, "/settings/clusters", "/nowhere"]) {
    const { headers } = await rawRequest(`${headroom.url}${path}`);
    const policy = String(headers["content-security-policy"]);
    expect(policy, path).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    nonces.add(/'nonce-([^']+)'/.exec(policy)?.[1] ?? "");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["x-powered-by"]).toBeUndefined();
  }
  expect(nonces.size).toBe(5);
  const api = await rawRequest(`${headroom.url}/api/fleet`);
  expect(String(api.headers["content-security-policy"])).toContain("default-src 'none'");
  expect(String(api.headers["content-security-policy"])).not.toContain("script-src");

  complaints.allow(/Content Security Policy/);
  await openPage(page, headroom.url);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'taken over'";
    document.body.append(script);
  });
  await expect(page).not.toHaveTitle("taken over");
  await expect(page).toHaveTitle("Fleet · Headroom");
});

test("an address that is not loopback is refused with the reason, before anything listens", async ({
  bench,
}) => {
  for (const address of ["0.0.0.0", "::", "192.168.1.10"]) {
    const { exitCode, output } = await runHeadroom(["serve", "--address", address, "--port", "1"], {
      cwd: bench.folder,
    });
    expect(exitCode, address).toBe(2);
    expect(output).toContain("there is no authentication yet");
    expect(output).not.toContain("Headroom is at");
  }
});

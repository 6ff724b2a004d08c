import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import { describeTargets, runServe, whyPortIsTaken } from "./serve.ts";

let folder = "";
let busy: Server | null = null;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "headroom-serve-"));
});
afterEach(async () => {
  await new Promise<void>((resolve) => (busy ? busy.close(() => resolve()) : resolve()));
  busy = null;
  rmSync(folder, { recursive: true, force: true });
});

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: b
clusters:
  - { name: one, cluster: { server: "https://127.0.0.1:6443" } }
users:
  - { name: me, user: { token: planted-token-5c1a } }
contexts:
  - { name: a, context: { cluster: one, user: me } }
  - { name: b, context: { cluster: one, user: me } }
`;

async function occupyPort(): Promise<number> {
  const server = createServer();
  busy = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

it("names the port that is in use and the flag that chooses another", async () => {
  const port = await occupyPort();
  expect(await whyPortIsTaken("127.0.0.1", port)).toBe(
    `Port ${port} is in use: something else listens on 127.0.0.1:${port}. Choose another one: npm start -- --port ${port + 1}`,
  );
});

it("finds a free port free", async () => {
  const port = await occupyPort();
  await new Promise<void>((resolve) => (busy ? busy.close(() => resolve()) : resolve()));
  busy = null;
  expect(await whyPortIsTaken("127.0.0.1", port)).toBeNull();
});

it("stops with exit code 2 before anything is read where the server is not built", async () => {
  const lines: string[] = [];
  const output = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line) };
  expect(await runServe({ flags: {}, packageRoot: folder }, output)).toBe(2);
  expect(lines).toEqual(["The web server is not built; npm start builds and starts it."]);
});

it("tells the web server when it is killed, or what started it", async () => {
  const port = await occupyPort();
  await new Promise<void>((resolve) => (busy ? busy.close(() => resolve()) : resolve()));
  busy = null;
  mkdirSync(path.join(folder, ".next", "standalone"), { recursive: true });
  writeFileSync(
    path.join(folder, ".next", "standalone", "server.js"),
    `const { writeFileSync } = require("node:fs");
     process.once("SIGTERM", () => { writeFileSync("ended", "SIGTERM"); process.exit(0); });
     process.once("disconnect", () => { writeFileSync("ended", "disconnect"); process.exit(0); });
     require("node:net").createServer().listen(${port}, "127.0.0.1", () => writeFileSync("running", ""));`,
  );
  const seen = (name: string) =>
    vi.waitFor(() => readFileSync(path.join(folder, name), "utf8"), { timeout: 25_000, interval: 50 });
  const script = `const { runServe } = await import(${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, "serve.ts")).href)});
    const print = (line) => process.stderr.write(line);
    process.exitCode = await runServe({ flags: { port: ${port} }, packageRoot: ${JSON.stringify(folder)} }, { out: print, err: print });`;
  for (const [how, expected] of [
    ["SIGKILL", "disconnect"],
    ["disconnect", "SIGTERM"],
  ] as const) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: folder,
      env: { PATH: process.env.PATH, NODE_ENV: "test", HEADROOM_CWD: folder },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const ended = once(child, "exit");
    await seen("running");
    if (how === "SIGKILL") child.kill("SIGKILL");
    else child.disconnect();
    expect(await seen("ended")).toBe(expected);
    await ended;
    for (const name of ["running", "ended"]) rmSync(path.join(folder, name));
  }
}, 60_000);

it("says which clusters it will read and where each was named, and no credential", async () => {
  const file = path.join(folder, "kubeconfig");
  writeFileSync(file, KUBECONFIG);
  const config = loadConfig({ env: {}, cwd: folder, flags: { kubeconfig: [file] } });
  const lines = await describeTargets(config);
  expect(lines).toEqual([
    `Reads cluster a (${file}, named by --kubeconfig)`,
    `Reads cluster b (${file}, named by --kubeconfig)`,
  ]);
  expect(lines.join()).not.toContain("planted-token");
});

it("says what of a named kubeconfig cannot be read", async () => {
  const file = path.join(folder, "kubeconfig");
  writeFileSync(file, KUBECONFIG);
  const config = loadConfig({
    env: {},
    cwd: folder,
    flags: { kubeconfig: [file], context: ["a", "absent"] },
  });
  const lines = await describeTargets(config);
  expect(lines[0]).toContain("Reads cluster a");
  expect(lines[1]).toMatch(/^Does not read: .*absent/);
});

it("never takes KUBECONFIG alone for a cluster to read", async () => {
  const file = path.join(folder, "kubeconfig");
  writeFileSync(file, KUBECONFIG);
  const config = loadConfig({ env: { KUBECONFIG: file, HOME: folder }, cwd: folder, flags: {} });
  expect(await describeTargets(config)).toEqual([
    "No cluster is named by flag, environment or configuration file: serves those of the settings page, else the demo fleet.",
  ]);
});

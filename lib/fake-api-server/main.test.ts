import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ListeningLine, StatsLine } from "./serve-process.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

function run(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? "null");
  return { child, nextLine };
}

describe("as a process of its own", () => {
  it("serves clusters, accounts for its CPU, and ends when its input does", async () => {
    const { child, nextLine } = run("--clusters", "2", "--servers", "1", "--nodes", "10");
    const { listening } = (await nextLine()) as ListeningLine;
    expect(listening.map(({ name }) => name)).toEqual(["cluster-000", "cluster-001"]);
    const [first] = listening;
    const response = await fetch(`${first?.url}/api/v1/nodes`, {
      headers: { authorization: `Bearer ${first?.token}` },
    });
    expect((await response.json()).items).toHaveLength(10);
    child.stdin.write("stats\n");
    const stats = (await nextLine()) as StatsLine;
    expect(stats.requests).toBe(1);
    expect(stats.cpuSeconds).toBeGreaterThan(0);
    child.stdin.end();
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });

  it("refuses a number that is none", async () => {
    const { child } = run("--nodes", "many");
    let text = "";
    child.stderr.on("data", (chunk) => {
      text += String(chunk);
    });
    const [code] = await once(child, "close");
    expect(code).not.toBe(0);
    expect(text).toContain("--nodes takes a whole number");
  });
});

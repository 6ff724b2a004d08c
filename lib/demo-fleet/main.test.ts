import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ListeningLine } from "../fake-api-server/serve-process.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

describe("as a process of its own", () => {
  it("serves the fleet of the anchor it is given, and ends with its input", async () => {
    const anchorAt = Date.now() - 86_400_000;
    const child = spawn(process.execPath, [MAIN, "--seed", "a", "--anchor", String(anchorAt)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { listening } = JSON.parse((await lines.next()).value ?? "null") as ListeningLine;
    expect(listening).toHaveLength(14);
    const stage = listening.find(({ name }) => name === "stage-eu-west");
    const response = await fetch(`${stage?.url}/version`, {
      headers: { authorization: `Bearer ${stage?.token}` },
    });
    expect(await response.json()).toMatchObject({ gitVersion: "v1.36.1" });
    expect(stage?.labels).toMatchObject({ role: "staging", region: "eu-west" });
    child.stdin.end();
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
  });
});

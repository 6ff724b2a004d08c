import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LearnedAgentsFileSchema } from "../contracts/learned-agents.ts";
import { auditEvent, auditLine } from "../domain/agents/audit/test-events.ts";
import type { AuditEvent } from "../domain/agents/audit-event.ts";
import { headroom } from "./test-support/headroom.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "headroom-learn-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const START = Date.UTC(2026, 2, 2, 9);
const SUFFIXES = ["bcdfg", "hjklm", "npqrs"];

/** Three pods of a DaemonSet that list all pods every 30 s for ten minutes, and an informer of one controller. */
function logLines(): readonly string[] {
  const events: AuditEvent[] = [];
  for (let seconds = 0; seconds <= 600; seconds += 30) {
    for (const [index, suffix] of SUFFIXES.entries()) {
      const at = START + (seconds + index) * 1000;
      events.push(
        auditEvent({
          auditId: `l-${at}`,
          podName: `shipper-${suffix}`,
          receivedAt: at,
          stageAt: at + 500,
          responseCode: seconds === 60 ? 429 : 200,
        }),
      );
    }
  }
  const controller = {
    userName: "system:serviceaccount:ops:controller",
    userAgent: "manager/v1.2.3 (linux/amd64) kubernetes/$Format",
    podName: "controller-7d9f6c4b58-mk2vq",
  };
  const requestUri = "/api/v1/pods?limit=500&resourceVersion=0";
  events.push(auditEvent({ ...controller, requestUri, receivedAt: START + 5000, stageAt: START + 5200 }));
  events.push(
    auditEvent({
      ...controller,
      verb: "watch",
      stage: "ResponseStarted",
      requestUri: "/api/v1/pods?watch=true&resourceVersion=7",
      receivedAt: START + 5300,
      stageAt: START + 5300,
    }),
  );
  return events.map((event) => auditLine(event));
}

const put = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe("headroom agents learn", () => {
  test("says who lists what cluster-wide, how often, and from how many copies, worst first", async () => {
    const path = put("audit.log", logLines().join("\n"));
    const { code, out, err } = await headroom(["agents", "learn", "--audit", path]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("65 requests of 2 agents, out of 65 events");
    expect(out).toContain("Mon 2 Mar 2026, 09:00:00 UTC");
    const shipper = out.indexOf("daemonset/logging/shipper");
    expect(shipper).toBeGreaterThan(0);
    expect(out.indexOf("deployment/ops/controller")).toBeGreaterThan(shipper);
    expect(out).toMatch(
      / pods poll=30s rv=latest limit=0 {2}63 lists by 3 copies, each every 30 s \(30 s to 30 s\), p99 500 ms, 3 × 429/,
    );
    expect(out).toContain("refused with 429: 3 of 63 requests");
    expect(out).toMatch(/ pods rv=0 limit=500 watchlist=off {2}1 list, 1 watch by 1 copy/);
  });

  test("as JSON keeps to its published schema, and gives the same for a file, a packed file and standard input", async () => {
    const text = `${logLines().join("\n")}\n`;
    const runs = await Promise.all([
      headroom(["agents", "learn", "--audit", put("plain.log", text), "--output", "json"]),
      headroom(["agents", "learn", "--audit", put("packed.log.gz", gzipSync(text)), "--output", "json"]),
      headroom(["agents", "learn", "--audit", "-", "--output", "json"], text),
    ]);
    const files = runs.map(({ out }) => LearnedAgentsFileSchema.parse(JSON.parse(out)));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    const reads = files.map(({ agents }) =>
      agents.map(({ id, informers }) => [id, informers.map(({ evidence: _, ...rest }) => rest)]),
    );
    expect(reads[1]).toEqual(reads[0]);
    expect(reads[2]).toEqual(reads[0]);
    expect(files[2]?.agents[0]?.informers[0]?.evidence.source).toBe("audit log standard input");
    const published = JSON.parse(
      readFileSync(new URL("../../public/schemas/learned-agents.schema.json", import.meta.url), "utf8"),
    ) as { required: string[] };
    expect(Object.keys(JSON.parse(runs[0]?.out ?? "{}") as object).sort()).toEqual(
      [...published.required].sort(),
    );
  });

  test("names what is no event on standard error, counts the rest, and learns all the same", async () => {
    const garbage = Array.from({ length: 30 }, (_, i) => `noise ${i} \u001b[31m`);
    const { code, out, err } = await headroom(
      ["agents", "learn", "--audit", "-"],
      [...garbage, ...logLines()].join("\n"),
    );
    expect(code).toBe(0);
    expect(out).toContain("2 agents");
    expect(err).toContain("standard input:1: text that is not JSON");
    expect(err).toContain("30 × text that is not JSON");
    expect(err).not.toContain("\u001b");
    expect(err.split("\n").length).toBeLessThan(30);
  });

  test("shows control characters of a log as blanks", async () => {
    const hostile = auditLine(auditEvent({ userName: "eve\u001b[2J", userAgent: "x\u0007\u202Ey/1" }));
    const { out } = await headroom(["agents", "learn", "--audit", "-"], hostile);
    expect(out).toContain("eve");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none of them comes out is what is tested
    expect(out).not.toMatch(/[\u0000-\u0009\u001b\u202e]/);
  });

  test.each([
    ["no path", ["agents", "learn"], /Missing --audit/],
    [
      "a path that is absent",
      ["agents", "learn", "--audit", "/nowhere/audit.log"],
      /\/nowhere\/audit.log: this file does not exist/,
    ],
    [
      "no event",
      ["agents", "learn", "--audit", "-"],
      /standard input: expected audit events \(audit.k8s.io\/v1\), found none/,
    ],
    ["standard input twice", ["agents", "learn", "--audit", "-", "--audit", "-"], /can be read once/],
    ["a number that is none", ["agents", "learn", "--audit", "-", "--top", "x"], /expected a whole number/],
  ])("ends with 2 and says why: %s", async (_, args, reason) => {
    const { code, out, err } = await headroom(args, "{}\n");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(reason);
  });
});

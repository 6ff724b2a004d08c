import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { auditEvent, auditLine, auditObject } from "../domain/agents/audit/test-events.ts";
import { AuditSourceError } from "./audit-files.ts";
import { type AuditReadOptions, type AuditSource, readAuditEvents } from "./read-audit-events.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "headroom-audit-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const START = Date.UTC(2026, 2, 2, 9);
/** Events `from` to `to`, one a second, named by their number. */
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => {
    const at = START + (from + i) * 1000;
    return `${auditLine(auditEvent({ auditId: `${from + i}`, receivedAt: at, stageAt: at + 5 }))}\n`;
  }).join("");

async function read(source: AuditSource, options: AuditReadOptions = {}) {
  const ids: string[] = [];
  const summary = await readAuditEvents(source, ({ auditId }) => ids.push(auditId), options);
  return { ids, summary };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `${from + i}`);

describe("a file", () => {
  test("gives its events in order, plain and packed, and from bytes", async () => {
    const text = lines(1, 400);
    for (const path of [put("audit.log", text), put("packed.bin", gzipSync(text))]) {
      expect((await read({ path })).ids).toEqual(numbers(1, 400));
    }
    const chunks = (async function* () {
      for (const part of text.match(/[\s\S]{1,999}/g) ?? []) yield Buffer.from(part);
    })();
    const { ids, summary } = await read({ chunks, name: "standard input" });
    expect(ids).toEqual(numbers(1, 400));
    expect(summary).toMatchObject({
      events: 400,
      bytes: text.length,
      files: [{ path: "standard input", events: 400 }],
    });
  });

  test("of two gzip files one behind the other gives both", async () => {
    const path = put("a.gz", Buffer.concat([gzipSync(lines(1, 3)), gzipSync(lines(4, 6))]));
    expect((await read({ path })).ids).toEqual(numbers(1, 6));
  });

  test("says that its last line is cut off, and counts that as no fault", async () => {
    const { ids, summary } = await read({ path: put("audit.log", lines(1, 3).slice(0, -30)) });
    expect(ids).toEqual(["1", "2"]);
    expect(summary).toMatchObject({ cutOffFiles: 1, problems: [] });
  });

  test("gives what could be unpacked of gzip data that is cut off or damaged", async () => {
    const packed = gzipSync(lines(1, 2000));
    const { ids, summary } = await read({ path: put("a.gz", packed.subarray(0, packed.length / 2)) });
    expect(ids.length).toBeGreaterThan(100);
    expect(summary.problemCounts).toEqual([{ problem: "gzip data that is cut off", count: 1 }]);
    const damaged = Buffer.from(packed);
    damaged.fill(255, packed.length / 2, packed.length / 2 + 100);
    const again = await read({ path: put("b.gz", damaged) });
    expect(again.summary.problemCounts).toEqual([{ problem: "gzip data that is damaged", count: 1 }]);
  });

  test("counts and names what is no event, and reads on", async () => {
    const core = JSON.stringify({ kind: "Event", apiVersion: "v1" });
    const old = auditLine(auditEvent()).replace("audit.k8s.io/v1", "audit.k8s.io/v1alpha1");
    const path = put("audit.log", `${lines(1, 1)}what?\n${core}\n${old}\nno\n${lines(2, 2)}`);
    const { ids, summary } = await read({ path }, { maxProblems: 2 });
    expect(ids).toEqual(["1", "2"]);
    expect(summary.problems).toEqual([
      { file: path, line: 2, problem: "text that is not JSON, or not to its end" },
      { file: path, line: 3, problem: "JSON that is no audit event" },
    ]);
    expect(summary.problemCounts.map(({ count }) => count)).toEqual([2, 1, 1]);
  });

  test("finds events behind the rest of another and behind what a collector of logs put in front", async () => {
    const cut = lines(9, 9).slice(0, 200);
    const path = put(
      "audit.log",
      `${cut}${lines(1, 1)}2026-03-02T09:00:00.000Z ${lines(2, 2)}${"\u0000".repeat(3000)}${lines(3, 3)}`,
    );
    const { ids, summary } = await read({ path });
    expect(ids).toEqual(["1", "2", "3"]);
    expect(summary).toMatchObject({ behindOtherText: 3, problems: [] });
  });

  test("gives an event of each auditID, stage and time once", async () => {
    const started = auditLine(auditEvent({ auditId: "1", stage: "ResponseStarted", stageAt: START + 1005 }));
    const again = auditLine(auditEvent({ auditId: "1", stageAt: START + 2005 }));
    const { ids, summary } = await read({
      path: put("audit.log", `${lines(1, 2)}${lines(1, 2)}${started}\n${again}\n`),
    });
    expect(ids).toEqual(["1", "2", "1", "1"]);
    expect(summary).toMatchObject({ duplicates: 2, events: 4 });
  });

  test("with events of more than a megabyte gives the others and says so", async () => {
    const big = auditLine(auditEvent(), { requestObject: "x".repeat(1_100_000) });
    const nearly = auditLine(auditEvent({ auditId: "nearly" }), { requestObject: "x".repeat(1_000_000) });
    const { ids, summary } = await read({
      path: put("audit.log", `${lines(1, 1)}${big}\n${nearly}\n${lines(2, 2)}`),
    });
    expect(ids).toEqual(["1", "nearly", "2"]);
    expect(summary.problems).toMatchObject([{ line: 2, problem: "an event of more than 1048576 bytes" }]);
  });

  test("that is absent, a folder without logs, or ended by a signal is an error that says so", async () => {
    await expect(read({ path: join(folder, "absent") })).rejects.toThrow(/absent: this file does not exist/);
    put("notes.txt", "nothing here");
    await expect(read({ path: folder })).rejects.toThrow(AuditSourceError);
    const path = put("audit.log", lines(1, 5));
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(read({ path }, { signal })).rejects.toThrow("enough");
  });

  test("tells how far it has come", async () => {
    const path = put("audit.log", lines(1, 2000));
    const shares: number[] = [];
    await read({ path }, { onProgress: ({ bytes, totalBytes }) => shares.push(bytes / (totalBytes ?? 0)) });
    expect(shares.at(-1)).toBe(1);
    expect(shares.length).toBeGreaterThan(2);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });
});

describe("a folder", () => {
  test("is read by the time of first events, whatever the names", async () => {
    put("audit.log", lines(7, 8));
    put("audit-2026-03-02T09-00-05.000.log", lines(5, 6));
    put("audit.log.2.gz", gzipSync(lines(1, 2)));
    mkdirSync(join(folder, "deeper"));
    put("deeper/audit.log.1", lines(3, 4));
    const { ids, summary } = await read({ path: folder });
    expect(ids).toEqual(numbers(1, 8));
    expect(summary.files.map(({ events }) => events)).toEqual([2, 2, 2, 2]);
  });

  test("whose files overlap, or are there twice, gives each event once", async () => {
    put("audit.log.1", lines(1, 50));
    put("audit.log.1.gz", gzipSync(lines(1, 50)));
    put("audit.log", lines(41, 60));
    const { ids, summary } = await read({ path: folder });
    expect(ids).toEqual(numbers(1, 60));
    expect(summary.duplicates).toBe(60);
  });

  test("names what it leaves out: other files, empty ones, links to folders; hidden ones are not looked at", async () => {
    put("audit.log", lines(1, 2));
    put("readme.md", "# logs");
    put("empty.log", "");
    put(".hidden", lines(3, 4));
    symlinkSync(folder, join(folder, "itself"));
    symlinkSync(join(folder, "audit.log"), join(folder, "latest"));
    const { ids, summary } = await read({ path: folder });
    expect(ids).toEqual(["1", "2"]);
    expect(
      summary.skippedFiles.map(({ path, reason }) => [path.slice(folder.length + 1), reason]).sort(),
    ).toEqual([
      ["empty.log", "it is empty"],
      ["itself", "a link to something other than a file"],
      ["readme.md", "no audit event in its first megabyte"],
    ]);
  });

  test("of webhook bodies, EventLists without kinds in their items, is read like lines", async () => {
    const items = [1, 2].map((n) => ({
      ...auditObject(auditEvent({ auditId: `${n}` })),
      kind: undefined,
      apiVersion: undefined,
    }));
    put(
      "batch.json",
      JSON.stringify({ kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items }),
    );
    appendFileSync(join(folder, "batch.json"), "\n");
    expect((await read({ path: folder })).ids).toEqual(["1", "2"]);
  });
});

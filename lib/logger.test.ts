import { describe, expect, test } from "vitest";
import { createLogger, type Logger, redactDeep } from "./logger.ts";

const TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl";
const PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nbm90LWEta2V5\n-----END RSA PRIVATE KEY-----";

function collect(level = "info") {
  const lines: string[] = [];
  const logger = createLogger("web", {
    level,
    destination: { write: (line: string) => void lines.push(line) },
  });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe("log lines", () => {
  test("are JSON with a level in words, an ISO time, a message and the fields given", () => {
    const { logger, records } = collect();
    logger.warn("part failed", { cluster: "prod-us-east", part: "fairness", durationSeconds: 1.5 });
    expect(records()).toEqual([
      {
        level: "warn",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        process: "web",
        cluster: "prod-us-east",
        part: "fairness",
        durationSeconds: 1.5,
        msg: "part failed",
      },
    ]);
  });

  test("below the level are not written", () => {
    const { logger, lines } = collect("error");
    logger.warn("quiet");
    expect(lines).toEqual([]);
  });

  test.each<[string, (log: Logger) => void]>([
    ["in the message", (log) => log.info(`sent Authorization: Bearer ${TOKEN}`)],
    ["in a field", (log) => log.info("x", { header: `Bearer ${TOKEN}` })],
    ["deep in a field", (log) => log.info("x", { a: [{ b: { c: PEM } }] })],
    ["in an error", (log) => log.error("x", { err: new Error(`no: ${TOKEN}`) })],
    [
      "in the cause of an error",
      (log) => log.error("x", { err: new Error("no", { cause: new Error(`https://me:${TOKEN}@host/`) }) }),
    ],
    ["in the fields of a child", (log) => log.child({ token: TOKEN, note: TOKEN }).child({ a: 1 }).info("x")],
  ])("never hold a credential %s", (_where, write) => {
    const { logger, lines, records } = collect();
    write(logger);
    expect(records()).toHaveLength(1);
    const text = lines.join("");
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain("bm90LWEta2V5");
    expect(text).toContain("redacted");
  });
});

describe("redactDeep", () => {
  test.each([
    "token",
    "accessToken",
    "Authorization",
    "clientKeyData",
    "client-key-data",
    "set-cookie",
    "PASSWORD",
  ])("replaces a member named %s whatever it looks like", (name) => {
    expect(redactDeep({ [name]: "plain" })).toEqual({ [name]: "[redacted]" });
  });

  test("keeps figures, nulls and names that only resemble", () => {
    const value = { tokens: null, requests: 12, ok: true, tokenizer: "bpe", list: ["/metrics", 3] };
    expect(redactDeep(value)).toEqual(value);
  });

  test("ends on a cycle", () => {
    const cycle: Record<string, unknown> = { name: "a" };
    cycle.self = cycle;
    expect(JSON.stringify(redactDeep(cycle))).toContain("[deeper]");
  });
});

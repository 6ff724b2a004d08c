import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ScanReportSchema } from "../../../contracts/scan-report.ts";
import type { Finding } from "../../../domain/findings/index.ts";
import type { ScanReport } from "../../../inputs/scan-inputs.ts";
import { PLAIN } from "../style.ts";
import { formatScanJson } from "./json.ts";
import { formatScanMarkdown } from "./markdown.ts";
import { formatScanSarif } from "./sarif.ts";
import { type FailOn, type ScanOutput, scanExitCode } from "./scan-output.ts";
import { EMPTY, FULL, finding, output } from "./test-fixtures.ts";
import { formatScanText } from "./text.ts";

describe("exit codes", () => {
  const errors = { findings: [finding()] };
  const warnings = { findings: [finding({ severity: "warning" })] };
  const problems = FULL.report.problems;
  test.each<[number, string, Partial<ScanReport>, FailOn, ScanOutput["notRead"]]>([
    [0, "nothing", {}, "warning", []],
    [1, "an error", errors, "error", []],
    [0, "a warning below", warnings, "error", []],
    [1, "a warning at", warnings, "warning", []],
    [0, "an error that is not to fail", errors, "never", []],
    [2, "an unreadable input, with findings", { ...errors, problems }, "error", []],
    [2, "nothing to read", { isNothingGiven: true }, "error", []],
    [3, "a cluster read in part, with findings", errors, "error", FULL.notRead],
    [2, "an unreadable input beside it", { problems }, "never", FULL.notRead],
    [0, "what is waived", { waived: FULL.report.waived }, "warning", []],
  ])("%i for %s", (code, _, report, failOn, notRead) => {
    expect(scanExitCode(output(report, { failOn, notRead }))).toBe(code);
  });
});

describe("JSON", () => {
  const published = z.fromJSONSchema(
    JSON.parse(
      readFileSync(new URL("../../../../public/schemas/scan-report.schema.json", import.meta.url), "utf8"),
    ),
  );

  test.each([
    ["everything", FULL],
    ["nothing", EMPTY],
  ])("%s is as the published schema says", (_, each) => {
    const json: unknown = JSON.parse(formatScanJson(each));
    expect(published.safeParse(json).error).toBeUndefined();
    expect(ScanReportSchema.safeParse(json).error).toBeUndefined();
  });

  test("the published schema refuses what is not so", () => {
    const json = JSON.parse(formatScanJson(FULL)) as { findings: { severity: string }[] };
    expect(published.safeParse({ ...json, verdict: "maybe" }).success).toBe(false);
    expect(published.safeParse({ ...json, more: 1 }).success).toBe(false);
    expect(
      published.safeParse({ ...json, findings: [{ ...json.findings[0], severity: "fatal" }] }).success,
    ).toBe(false);
  });

  test("a finding has the fields that pipelines hold on to", () => {
    const { findings } = JSON.parse(formatScanJson(FULL)) as { findings: object[] };
    expect(findings[0]).toEqual({
      rule: "rollout.unpaced",
      severity: "error",
      subject: finding().subject,
      message: "wrong | `code`",
      why: "why",
      fix: "fix",
      evidence: { grade: "measured", source: "a b/x.yaml:3", observedAt: "2026-11-30T12:00:00.000Z" },
      figures: { seats: 10, list: ["a", "b"], nested: { a: null } },
      related: ["symptom"],
    });
  });
});

/** SARIF 2.1.0 as far as it is used here: members, values and references as §3 of the standard demands; no other members. */
const message = z.strictObject({ text: z.string().min(1) });
const region = z.strictObject({ startLine: z.int().min(1), startColumn: z.int().min(1).optional() });
const location = z.strictObject({
  physicalLocation: z
    .strictObject({
      artifactLocation: z.strictObject({ uri: z.string().refine(isUriReference) }),
      region: region.optional(),
    })
    .optional(),
  logicalLocations: z
    .array(z.strictObject({ fullyQualifiedName: z.string() }))
    .min(1)
    .optional(),
});
const level = z.enum(["none", "note", "warning", "error"]);
const Sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          version: z.string(),
          semanticVersion: z.string().regex(/^\d+\.\d+\.\d+/),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              shortDescription: message,
              fullDescription: message,
              help: message,
              helpUri: z.url().optional(),
              defaultConfiguration: z.strictObject({ level }),
            }),
          ),
        }),
      }),
      invocations: z.array(
        z.strictObject({
          executionSuccessful: z.boolean(),
          exitCode: z.int(),
          toolExecutionNotifications: z.array(
            z.strictObject({ level, message, locations: z.array(location).optional() }),
          ),
        }),
      ),
      results: z.array(
        z
          .strictObject({
            ruleId: z.string(),
            ruleIndex: z.int().min(0).optional(),
            kind: z.enum(["fail", "open"]),
            level,
            message,
            locations: z.array(location).min(1),
            partialFingerprints: z.record(z.string(), z.string()),
            properties: z.record(z.string(), z.unknown()).optional(),
            suppressions: z
              .array(
                z.strictObject({
                  kind: z.literal("external"),
                  status: z.literal("accepted"),
                  justification: z.string(),
                }),
              )
              .optional(),
          })
          // §3.27.10: a level only where something failed.
          .refine(({ kind, level: of }) => (kind === "fail" ? of !== "none" : of === "none")),
      ),
      columnKind: z.literal("utf16CodeUnits"),
    }),
  ]),
});

function isUriReference(uri: string): boolean {
  return !/[\s"<>\\^`{|}]/.test(uri) && URL.canParse(uri, "file:///base/");
}

describe("SARIF", () => {
  test.each([
    ["everything", FULL],
    ["nothing", EMPTY],
  ])("%s has the members of the standard and no others", (_, each) => {
    const parsed = Sarif.safeParse(JSON.parse(formatScanSarif(each)));
    expect(parsed.error).toBeUndefined();
    const [run] = parsed.data?.runs ?? [];
    for (const { ruleId, ruleIndex } of run?.results ?? []) {
      if (ruleIndex !== undefined) expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    }
  });

  test("findings, undecided and waived are results; places are references", () => {
    const { runs } = Sarif.parse(JSON.parse(formatScanSarif(FULL)));
    const [{ results, invocations }] = runs;
    expect(
      results.map(({ kind, level: of, suppressions }) => `${kind} ${of} ${suppressions?.length ?? 0}`),
    ).toEqual([
      "fail error 0",
      "fail warning 0",
      "fail note 0",
      "fail error 0",
      "fail error 1",
      "open none 0",
    ]);
    expect(results.map(({ locations }) => locations[0]?.physicalLocation?.artifactLocation.uri)).toEqual([
      "a%20b/x.yaml",
      "file:///abs/y.yaml",
      undefined,
      undefined,
      "a%20b/x.yaml",
      undefined,
    ]);
    expect(invocations[0]).toMatchObject({ executionSuccessful: false, exitCode: 2 });
  });

  test("the fingerprint stays when line and figures change, and tells rules and subjects apart", () => {
    const prints = (each: Finding) =>
      Sarif.parse(JSON.parse(formatScanSarif(output({ findings: [each] })))).runs[0].results[0]
        ?.partialFingerprints["headroom/v1"];
    expect(prints(finding({ position: null, figures: {}, message: "other" }))).toBe(prints(finding()));
    expect(prints(finding({ subject: "other" }))).not.toBe(prints(finding()));
  });
});

test("text shows nothing that a terminal obeys, and --quiet leaves out what is in order", () => {
  const lines = formatScanText(FULL, { style: PLAIN, isQuiet: false }).join("\n");
  for (const obeyed of ["\u0001", "\u202e", "\u001b"]) expect(lines).not.toContain(obeyed);
  expect(lines).toContain(
    "fail: 2 errors, 1 warning, 1 info, 1 unknown, 1 waived, 2 unreadable inputs (read: 1 files, 2 objects)",
  );
  expect(formatScanText(EMPTY, { style: PLAIN, isQuiet: true })).toEqual([]);
  expect(formatScanText(EMPTY, { style: PLAIN, isQuiet: false })).toEqual([
    "pass: nothing found (read: 1 files, 2 objects)",
  ]);
});

test("Markdown escapes what names could smuggle in", () => {
  const markdown = formatScanMarkdown(FULL);
  expect(markdown).toContain("wrong \\| \\`code\\`");
  expect(markdown).toContain("DaemonSet ns/a \\<&> \"q\" 'x'");
  expect(markdown).toMatch(/^# Headroom scan: fail\n/);
  expect(formatScanMarkdown(EMPTY)).toContain("Nothing was found.");
});

import { z } from "zod";
import { FINDING_GRADES, FINDING_SEVERITIES, VERDICTS } from "../domain/findings/finding.ts";

const figures = z.record(z.string(), z.json()).describe("Figures by name; units end the name.");

export const ScanFindingSchema = z.strictObject({
  rule: z.string().describe("Dotted name of the rule: `headroom rules NAME` explains it."),
  severity: z.enum(FINDING_SEVERITIES),
  subject: z.string().describe("The object or client it concerns."),
  message: z.string().describe("What is wrong, in one sentence."),
  why: z.string().describe("Who is hurt, and when."),
  fix: z.string().describe("What to change."),
  evidence: z.strictObject({
    grade: z.enum(FINDING_GRADES),
    source: z.string(),
    observedAt: z.iso.datetime().nullable(),
  }),
  figures,
  related: z.array(z.string()).describe("Symptoms of the same cause."),
});

/** What `headroom scan --output json` prints. Fields are added without a new `schemaVersion`, never taken away. */
export const ScanReportSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    tool: z.strictObject({ name: z.literal("headroom"), version: z.string() }),
    verdict: z
      .enum(VERDICTS)
      .describe(
        "fail with any error, warn with any warning; unknown where the input cannot decide, else pass.",
      ),
    findings: z
      .array(ScanFindingSchema)
      .describe("Sorted by severity, rule, subject; one per rule and subject."),
    unknown: z
      .array(z.strictObject({ rule: z.string(), subject: z.string(), missing: z.string() }))
      .describe("What could not be decided, and what would decide it."),
    waived: z
      .array(
        z.strictObject({
          finding: ScanFindingSchema,
          waiver: z.strictObject({ reason: z.string(), until: z.iso.date() }),
        }),
      )
      .describe("Findings that somebody answers for until a day; they do not count."),
    expiredWaivers: z
      .array(
        z.strictObject({ rule: z.string(), subject: z.string(), reason: z.string(), until: z.iso.date() }),
      )
      .describe("Waivers whose day is past: their findings count again."),
    ignored: z.int().min(0).describe("Findings left out by --ignore."),
    skipped: z
      .array(z.strictObject({ file: z.string(), reason: z.string() }))
      .describe("Looked at and not read; no fault."),
    problems: z
      .array(
        z.strictObject({
          file: z.string(),
          line: z.int().nullable(),
          column: z.int().nullable(),
          message: z.string(),
        }),
      )
      .describe("Inputs, or parts of them, that cannot be read: exit code 2."),
    notRead: z
      .array(z.strictObject({ part: z.string(), message: z.string() }))
      .describe("With --context: what of the cluster could not be read: exit code 3."),
    figures,
  })
  .meta({ title: "Findings of headroom scan" });

export type ScanReportJson = z.output<typeof ScanReportSchema>;

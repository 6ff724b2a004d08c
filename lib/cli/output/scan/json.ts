import type { ScanReportJson } from "../../../contracts/scan-report.ts";
import type { Finding } from "../../../domain/findings/index.ts";
import type { ScanOutput } from "./scan-output.ts";

/** The complete form, as `public/schemas/scan-report.schema.json` describes it. */
export function formatScanJson({ report, notRead, version }: ScanOutput): string {
  const json: ScanReportJson = {
    schemaVersion: 1,
    tool: { name: "headroom", version },
    verdict: report.verdict,
    findings: report.findings.map(asJson),
    unknown: report.undecided.map(({ rule, subject, missing }) => ({ rule, subject, missing })),
    waived: report.waived.map(({ finding, waiver: { reason, until } }) => ({
      finding: asJson(finding),
      waiver: { reason, until },
    })),
    expiredWaivers: report.expired.map(({ finding, waiver: { reason, until } }) => ({
      rule: finding.rule,
      subject: finding.subject,
      reason,
      until,
    })),
    ignored: report.ignored,
    skipped: report.skipped.map(({ file, reason }) => ({ file, reason })),
    problems: report.problems.map(({ file, line, column, message }) => ({ file, line, column, message })),
    notRead: notRead.map(({ part, message }) => ({ part, message })),
    figures: { ...report.figures } as ScanReportJson["figures"],
  };
  return JSON.stringify(json, null, 2);
}

type FindingJson = ScanReportJson["findings"][number];

function asJson({
  rule,
  severity,
  subject,
  message,
  why,
  fix,
  evidence,
  figures,
  related,
}: Finding): FindingJson {
  const observedAt = evidence.observedAt === null ? null : new Date(evidence.observedAt).toISOString();
  return {
    rule,
    severity,
    subject,
    message,
    why,
    fix,
    evidence: { grade: evidence.grade, source: evidence.source, observedAt },
    // The same values under a type whose lists may be changed.
    figures: figures as FindingJson["figures"],
    related: [...related],
  };
}

import { FINDING_SEVERITIES, type FindingSeverity } from "../../../domain/findings/finding.ts";
import type { ScanReport } from "../../../inputs/scan-inputs.ts";

/** From which severity on findings make the command fail. */
export const FAIL_ON = ["error", "warning", "never"] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** A scan with what only a cluster that was read now can say. */
export interface ScanOutput {
  readonly report: ScanReport;
  /** Parts of the cluster that could not be read, or only in part; empty without a cluster. */
  readonly notRead: readonly { readonly part: string; readonly message: string }[];
  readonly failOn: FailOn;
  readonly version: string;
}

export const SCAN_EXIT = { clean: 0, findings: 1, unreadable: 2, notRead: 3 } as const;

/**
 * Unreadable input first: whoever sees it must not take the rest for all there is. Then a cluster read in part, then
 * findings.
 */
export function scanExitCode({ report, notRead, failOn }: ScanOutput): number {
  if (report.problems.length > 0 || report.isNothingGiven) return SCAN_EXIT.unreadable;
  if (notRead.length > 0) return SCAN_EXIT.notRead;
  return report.findings.some(({ severity }) => fails(severity, failOn))
    ? SCAN_EXIT.findings
    : SCAN_EXIT.clean;
}

/** True for a severity at or above the one given. */
export function fails(severity: FindingSeverity, failOn: FailOn): boolean {
  if (failOn === "never") return false;
  return FINDING_SEVERITIES.indexOf(severity) <= FINDING_SEVERITIES.indexOf(failOn);
}

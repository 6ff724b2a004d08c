import type { SeverityValue } from "@/lib/contracts/common";
import type { ConnectionTestResponse } from "@/lib/contracts/settings";

/** What the row of a connection test says. */
export interface TestRow {
  readonly severity: SeverityValue;
  readonly lead: string;
  readonly text: string;
  readonly isRunning: boolean;
}

/** Seconds within which the collector answers a test. */
const ANSWER_SECONDS = 10;

/** Every state of a connection test in words: what happened, what it means, what to do. */
export function prepareTestRow(test: ConnectionTestResponse): TestRow {
  switch (test.state) {
    case "waiting":
      return {
        severity: "info",
        lead: "Waiting for the collector.",
        text: `It takes up a test within a few seconds and answers within ${ANSWER_SECONDS}.`,
        isRunning: true,
      };
    case "running":
      return {
        severity: "info",
        lead: "The collector is connecting.",
        text: "It asks for the version, the kube-system namespace and each permission once.",
        isRunning: true,
      };
    case "succeeded":
      return succeeded(test);
    case "failed":
      return {
        severity: "error",
        lead: "The cluster could not be read.",
        text: test.result?.error ?? "The collector did not say why.",
        isRunning: false,
      };
    case "timed-out":
      return {
        severity: "error",
        lead: `No answer within ${ANSWER_SECONDS} s.`,
        text: "The collector tried, and the cluster or its exec plugin did not answer in time. The address may be out of reach from this server.",
        isRunning: false,
      };
    case "no-collector":
      return {
        severity: "unknown",
        lead: "No collector took up this test.",
        text: "The cluster may be in order: nothing was tried. The notice above says how the collector stands.",
        isRunning: false,
      };
    default:
      return test.state satisfies never;
  }
}

function succeeded({ result }: ConnectionTestResponse): TestRow {
  const refused = result?.permissions.filter(({ state }) => state === "refused").length ?? 0;
  const facts = [
    result?.gitVersion === null || result === null ? null : `Kubernetes ${result.gitVersion}`,
    result?.knownClusterId === null || result === null ? null : "Headroom reads this cluster already",
    result?.isInsecure === true ? "its certificate is not checked (insecure-skip-tls-verify)" : null,
  ].filter((fact) => fact !== null);
  return {
    severity: refused > 0 || result?.isInsecure === true ? "warning" : "ok",
    lead:
      refused > 0
        ? `The cluster answers; it refuses ${refused} of ${result?.permissions.length ?? 0} permissions.`
        : "The cluster answers.",
    text: facts.length === 0 ? "" : `${facts.join("; ")}.`,
    isRunning: false,
  };
}

import { readAuditEvents } from "../../audit/read-audit-events.ts";
import type { AuditEvent } from "../../domain/findings/index.ts";
import type { LineReader } from "./stream-reader.ts";

/** Reads an audit log as it comes; events carry no line. The one way by which a scan reads audit logs. */
export const readAuditLog: LineReader<AuditEvent> = async (chunks, onEvent, options) => {
  const name = "";
  const summary = await readAuditEvents({ chunks, name }, (event) => onEvent(event, null), {
    maxEventBytes: options.maxLineBytes,
  });
  const [first] = summary.problems;
  return {
    events: summary.events,
    faultyLines: summary.problemCounts.reduce((sum, { count }) => sum + count, 0),
    firstFault:
      first === undefined ? null : { line: first.line, message: `expected an event; ${first.problem}` },
    notes: [
      ...(summary.cutOffFiles > 0 ? ["it ends within an event: written still, or cut by rotation"] : []),
      ...(summary.duplicates > 0 ? [`${summary.duplicates} events that came before are left out`] : []),
    ],
  };
};

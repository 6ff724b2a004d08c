"use client";

import { useMemo } from "react";
import { ruleHref } from "@/components/rules/rule-row";
import type { Column } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { Instant } from "@/components/time/instant";
import { Panel, PanelBody } from "@/components/ui/panel";
import { RowLink } from "@/components/ui/row-link";
import { SeverityMark, SeverityShape } from "@/components/ui/severity";
import type { Finding } from "@/lib/contracts/cluster";
import { formatPlural } from "@/lib/format/number";

/** What is wrong, worst first: rule (its page), object (its evidence), what happens with figures, since when. */
export function FindingsPanel({ findings }: { findings: readonly Finding[] }) {
  const columns = useMemo(findingColumns, []);
  return (
    <Panel title="Findings, worst first" meta={countFindings(findings)}>
      {findings.length === 0 ? (
        <PanelBody>
          <p className="flex items-center gap-1.5 text-fg-2">
            <SeverityShape kind="ok" className="text-ok" />
            No rule that Headroom checks here finds anything.
          </p>
        </PanelBody>
      ) : (
        <DataTable
          caption="Findings, worst first"
          columns={columns}
          rows={findings}
          rowKey={findingKey}
          rowHref={({ href, rule }) => href ?? ruleHref(rule)}
        />
      )}
    </Panel>
  );
}

/** One rule at one subject is one finding. */
const findingKey = ({ rule, subject }: Finding) => `${rule}|${subject}`;

/** `1 error · 2 warnings`; empty where there is none. */
export function countFindings(findings: readonly Finding[]): string {
  return (["error", "warning", "info"] as const)
    .map((severity) => ({
      severity,
      count: findings.filter((finding) => finding.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) =>
      formatPlural(count, severity, severity === "info" ? "info" : `${severity}s`),
    )
    .join(" · ");
}

export function findingColumns(): readonly Column<Finding>[] {
  return [
    {
      id: "severity",
      label: "Severity",
      cell: ({ severity }) => <SeverityMark kind={severity} />,
      text: ({ severity }) => severity,
    },
    {
      id: "rule",
      label: "Rule",
      cellClass: "font-mono text-s",
      cell: ({ rule }) => <RowLink href={ruleHref(rule)}>{rule}</RowLink>,
      text: ({ rule }) => rule,
    },
    {
      id: "finding",
      label: "Finding",
      cellClass: "wrap",
      cell: ({ title, subject, href }) => (
        <>
          {href === null ? title : <RowLink href={href}>{title}</RowLink>}
          <span className="block text-s leading-[1.3] text-fg-3">{subject}</span>
        </>
      ),
      text: ({ title, subject }) => `${title} (${subject})`,
    },
    {
      id: "happens",
      label: "What happens",
      cellClass: "wrap w-[40%]",
      cell: ({ happens }) => happens,
      text: ({ happens }) => happens,
    },
    {
      id: "since",
      label: "Since",
      cellClass: "text-fg-3",
      cell: ({ sinceAt }) => (sinceAt === null ? "now" : <Instant at={sinceAt} look="day-or-time" />),
      text: ({ sinceAt }) => (sinceAt === null ? "now" : new Date(sinceAt).toISOString()),
    },
  ];
}

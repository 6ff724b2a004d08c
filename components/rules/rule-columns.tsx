"use client";

import type { Column } from "@/components/tables/column";
import { RowLink } from "@/components/ui/row-link";
import { SeverityMark } from "@/components/ui/severity";
import { type RuleRow, ruleHref } from "./rule-row";

/** The table of rules in all its forms. */
export function ruleColumns(): readonly Column<RuleRow>[] {
  return [
    {
      id: "severity",
      label: "Severity",
      cell: ({ severity }) => <SeverityMark kind={severity} />,
      text: ({ severity }) => severity,
    },
    {
      id: "name",
      label: "Rule",
      cellClass: "font-mono text-s",
      cell: ({ name }) => <RowLink href={ruleHref(name)}>{name}</RowLink>,
      text: ({ name }) => name,
    },
    {
      id: "title",
      label: "Finding",
      cellClass: "wrap w-[48%]",
      cell: ({ title }) => title,
      text: ({ title }) => title,
    },
    {
      id: "versions",
      label: "Kubernetes",
      cellClass: "text-fg-2",
      cell: ({ versions }) => versions,
      text: ({ versions }) => versions,
    },
    {
      id: "decided",
      label: "Decided by",
      cellClass: "text-fg-2",
      cell: ({ decidedBy }) => decidedBy,
      text: ({ decidedBy }) => decidedBy,
    },
  ];
}

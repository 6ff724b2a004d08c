"use client";

import { parseAsString, useQueryState } from "nuqs";
import { useMemo, useRef } from "react";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { useKeyBinding } from "@/components/frame/key-bindings";
import { PageHead } from "@/components/frame/page-head";
import type { RowFilter } from "@/components/tables/column";
import { ModelTable } from "@/components/tables/data-table";
import { useTableModel } from "@/components/tables/table-model";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { formatPlural } from "@/lib/format/number";
import { ruleColumns } from "./rule-columns";
import { type RuleRow, ruleHref } from "./rule-row";
import { rulesMarkdown } from "./rules-markdown";

/** Every rule by which something is called wrong. */
export function RulesPage({ rules }: { rules: readonly RuleRow[] }) {
  const [text, setText] = useQueryState("q", parseAsString.withDefault("").withOptions({ scroll: false }));
  const columns = useMemo(ruleColumns, []);
  const wanted = useMemo(() => ({ text }), [text]);
  const model = useTableModel({ columns, rows: rules, rowKey, filters: FILTERS, wanted });
  const shown = model.getRowModel().rows.map(({ original }) => original);
  return (
    <>
      <PageHead
        title="Rules"
        facts={<span>what each finding means, why it matters, how to fix it</span>}
        actions={<CopyMarkdown makeText={() => rulesMarkdown(shown, window.location.href)} />}
      />
      <Panel
        title="Rules by area"
        meta={
          shown.length === rules.length
            ? formatPlural(rules.length, "rule")
            : `${shown.length} of ${formatPlural(rules.length, "rule")}`
        }
        foot="`headroom scan` checks files or a cluster by those decided by scan; the collector decides the others over time."
      >
        <Filter text={text} onText={(value) => void setText(value === "" ? null : value)} />
        {shown.length === 0 ? (
          <EmptyState lead="No rule fits the filter">
            Names, areas and what the rules say are searched; every word must occur.
          </EmptyState>
        ) : (
          <ModelTable caption="Rules by area" rowHref={rowHref} model={model} />
        )}
      </Panel>
    </>
  );
}

const rowKey = ({ name }: RuleRow) => name;
const rowHref = ({ name }: RuleRow) => ruleHref(name);

const FILTERS: readonly RowFilter<RuleRow>[] = [
  {
    id: "text",
    fits: ({ name, title, what, severity }, text) => {
      const searched = `${name} ${title} ${what} ${severity}`.toLowerCase();
      return text
        .toLowerCase()
        .split(/\s+/)
        .every((word) => searched.includes(word));
    },
  },
];

function Filter({ text, onText }: { text: string; onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useKeyBinding("/", "Filter the rules", () => input.current?.focus());
  return (
    <search aria-label="Filter rules" className="px-3 pb-2.5">
      <input
        ref={input}
        type="search"
        aria-label="Filter by name or text"
        placeholder="Filter: name or text  /"
        value={text}
        onChange={(event) => onText(event.target.value)}
        className="h-[var(--control-h)] w-[260px] max-w-full rounded-2 border border-control bg-raised px-2"
      />
    </search>
  );
}

"use client";

import { useMemo } from "react";
import { ObjectsAge } from "@/components/clusters/panel-age";
import { type Column, csvColumnsOf, markdownOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Panel, type PanelState } from "@/components/ui/panel";
import { SeverityMark } from "@/components/ui/severity";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import { toMarkdownTable } from "@/lib/format/markdown";
import { formatCount } from "@/lib/format/number";
import { NotReadState } from "./not-read-state";
import { type Drift, type DriftRow, prepareDrift } from "./prepare-drift";

/** The cluster's flow control objects against the defaults of its version. */
export function DriftPanel({ response, state }: { response: FlowControlResponse; state: PanelState }) {
  const drift = useMemo(() => prepareDrift(response), [response]);
  const columns = useMemo(driftColumns, []);
  return (
    <Panel
      title={drift === null ? "Drift from the defaults" : driftTitle(drift)}
      state={state}
      meta={
        drift !== null && (
          <>
            <span>
              {formatCount(drift.differing)} of {formatCount(drift.total)} differ
            </span>
            <ObjectsAge at={response.configurationReadAt} word="objects read" state={state} />
            <DownloadCsv
              fileName={`headroom-${response.clusterName}-drift`}
              columns={[
                ...csvColumnsOf(columns),
                { head: "Details", value: ({ details }) => details.join(" ") },
              ]}
              rows={drift.rows}
            />
          </>
        )
      }
      foot={drift?.note ?? null}
    >
      {drift === null ? (
        <NotReadState response={response} needed={["FlowSchemas", "priority levels", "version"]}>
          Nothing can be compared without them; that is no sign that nothing differs.
        </NotReadState>
      ) : (
        <DataTable
          caption={driftTitle(drift)}
          columns={columns}
          rows={drift.rows}
          rowKey={({ key }) => key}
          isCompact
        />
      )}
    </Panel>
  );
}

export function driftMarkdown(response: FlowControlResponse): readonly string[] {
  const drift = prepareDrift(response);
  if (drift === null) return [];
  const { heads, rows } = markdownOf(driftColumns(), drift.rows);
  return [`### ${driftTitle(drift)}`, toMarkdownTable(heads, rows)];
}

const driftTitle = ({ minor }: Drift): string => `Drift from the defaults of 1.${minor}`;

function driftColumns(): readonly Column<DriftRow>[] {
  return [
    {
      id: "state",
      label: "State",
      isHeadHidden: true,
      cellClass: "w-[30px]",
      cell: ({ severity }) => <SeverityMark kind={severity} isWordHidden isQuiet />,
      csv: ({ severity }) => severity,
    },
    {
      id: "object",
      label: "Object",
      cellClass: "wrap",
      cell: (row) => (
        <>
          <b>{row.object}</b>
          {row.details.map((detail) => (
            <span key={detail} className="block text-s text-fg-3">
              {detail}
            </span>
          ))}
        </>
      ),
      text: (row) => `${row.object}: ${row.details.join("; ")}`,
      csv: ({ object }) => object,
    },
    {
      id: "word",
      label: "Against default",
      cellClass: "text-right",
      cell: ({ word }) => word,
      text: ({ word }) => word,
      csv: ({ word }) => word,
    },
  ];
}

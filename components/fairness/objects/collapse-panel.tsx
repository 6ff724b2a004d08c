"use client";

import { useMemo, useState } from "react";
import { ObjectsAge } from "@/components/clusters/panel-age";
import { describeFailure } from "@/components/clusters/part-words";
import { type Column, csvColumnsOf, markdownOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Button } from "@/components/ui/button";
import { Panel, type PanelState } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { SeverityMark } from "@/components/ui/severity";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import type { RequestShape } from "@/lib/domain/fairness/matching/collapse-flows";
import type { CsvColumn } from "@/lib/format/csv";
import { toMarkdownTable } from "@/lib/format/markdown";
import { formatCount, formatPlural } from "@/lib/format/number";
import { FailureList, NotReadState } from "./not-read-state";
import {
  accountsText,
  type Collapse,
  type FlowRow,
  flowName,
  nameOf,
  prepareCollapse,
} from "./prepare-collapse";

/** Rows shown before the rest is asked for. */
const SHOWN_AT_FIRST = 10;
const TITLE = "Service accounts that share a flow";

/** Where a flow belongs, which its cell says in two lines. */
const CSV_NAMES: readonly CsvColumn<FlowRow>[] = [
  { head: "Priority level", value: ({ priorityLevelName }) => priorityLevelName },
  { head: "FlowSchema", value: ({ flowSchemaName }) => flowSchemaName },
];

/** Which service accounts share one flow, and how many pods stand behind it. */
export function CollapsePanel(props: {
  response: FlowControlResponse;
  shape: RequestShape | null;
  state: PanelState;
}) {
  const { response, shape, state } = props;
  const { accountsReadAt, accountsNotRead, clusterName } = response;
  const collapse = useMemo(() => prepareCollapse(response, shape), [response, shape]);
  const columns = useMemo(flowColumns, []);
  const [isLong, setIsLong] = useState(false);
  const shown = isLong ? (collapse?.rows ?? []) : (collapse?.rows.slice(0, SHOWN_AT_FIRST) ?? []);
  return (
    <Panel
      title={TITLE}
      state={state}
      meta={
        <>
          {collapse !== null && (
            <span>
              if each sends{" "}
              <span className="font-mono text-xs wrap-anywhere">{shapeText(collapse.shape)}</span>
            </span>
          )}
          <ObjectsAge at={accountsReadAt} word="workloads read" state={state} />
          <DownloadCsv
            fileName={`headroom-${clusterName}-shared-flows`}
            columns={[...CSV_NAMES, ...csvColumnsOf(columns)]}
            rows={collapse?.rows ?? []}
          />
        </>
      }
      foot={
        collapse !== null &&
        (collapse.rows.length > 0 || accountsNotRead.length === 0) && (
          <>
            {collapse.rows.length > shown.length && (
              <Button look="ghost" isSmall onClick={() => setIsLong(true)}>
                Show all {formatPlural(collapse.rows.length, "flow")}
              </Button>
            )}{" "}
            {coverText(collapse, accountsNotRead.length > 0)} {notReadText(response)}
          </>
        )
      }
    >
      {collapse === null ? (
        <NotReadState response={response} needed={["workloads", "FlowSchemas", "priority levels", "version"]}>
          Which accounts share a flow is not known without them.
        </NotReadState>
      ) : collapse.rows.length === 0 && accountsNotRead.length > 0 ? (
        <EmptyState kind="unknown" lead={`Not read: ${accountsNotRead.map(({ what }) => what).join(", ")}`}>
          <p>Which accounts run pods is not known without them.</p>
          <FailureList failures={accountsNotRead} />
        </EmptyState>
      ) : collapse.rows.length === 0 ? (
        <EmptyState lead="No workload is stored">
          Which accounts run pods follows from DaemonSets, Deployments and StatefulSets; none was found.
        </EmptyState>
      ) : (
        <DataTable caption={TITLE} columns={columns} rows={shown} rowKey={({ key }) => key} isCompact />
      )}
    </Panel>
  );
}

export function collapseMarkdown(
  response: FlowControlResponse,
  shape: RequestShape | null,
): readonly string[] {
  const collapse = prepareCollapse(response, shape);
  if (collapse === null || collapse.rows.length === 0) return [];
  const { heads, rows } = markdownOf(flowColumns(), collapse.rows);
  return [
    `### ${TITLE}`,
    `If each sends \`${shapeText(collapse.shape)}\`.`,
    toMarkdownTable(heads, rows),
    `${coverText(collapse, response.accountsNotRead.length > 0)} ${notReadText(response)}`.trim(),
  ];
}

const shapeText = ({ method, path, query = "" }: RequestShape): string =>
  `${method} ${path}${query === "" ? "" : `?${query}`}`;

/** What the rows cover of the cluster's pods, and what they cannot. */
function coverText({ accounts, pods, podsNotKnown }: Collapse, hasGaps: boolean): string {
  const covered = `${formatPlural(accounts, "service account")}, ${formatPlural(pods, "pod")} wanted by workloads.`;
  if (podsNotKnown === null) return `${covered} How many pods there are in all is not known.`;
  return podsNotKnown === 0
    ? covered
    : `${covered} The accounts of ${formatPlural(podsNotKnown, "other pod")} are not stored: those of ${hasGaps ? "what was not read, of " : ""}Jobs, and pods without a workload.`;
}

const notReadText = ({ accountsNotRead }: FlowControlResponse): string =>
  accountsNotRead.length === 0
    ? ""
    : `Not read: ${accountsNotRead.map(({ what, failure }) => `${what} (${describeFailure(failure)})`).join("; ")}.`;

function flowColumns(): readonly Column<FlowRow>[] {
  return [
    {
      id: "flow",
      label: "Flow",
      cellClass: "wrap",
      cell: (row) => (
        <>
          <b className="break-all">{flowName(row)}</b>
          <span className="block text-s text-fg-3">
            {row.flowSchemaName} → {row.priorityLevelName}
          </span>
        </>
      ),
      text: (row) => `${flowName(row)} (${row.flowSchemaName} → ${row.priorityLevelName})`,
      csv: ({ flowDistinguisher }) => flowDistinguisher,
    },
    {
      id: "accounts",
      label: "Service accounts",
      cellClass: "wrap",
      cell: ({ accounts }) => (
        <>
          {formatCount(accounts.length)}
          <span className="block text-s text-fg-3">{accountsText(accounts)}</span>
        </>
      ),
      text: ({ accounts }) => `${formatCount(accounts.length)}: ${accountsText(accounts)}`,
      csv: ({ accounts }) => accounts.map(nameOf).join(" "),
    },
    {
      id: "pods",
      label: "Pods behind it",
      isNumeric: true,
      cell: ({ pods }) => formatCount(pods),
      text: ({ pods }) => formatCount(pods),
      csv: ({ pods }) => pods,
    },
    {
      id: "capacity",
      label: "Can wait at once",
      isNumeric: true,
      cell: (row) =>
        row.isOverfull ? (
          <SeverityMark kind="warning" word={capacityText(row)} />
        ) : (
          <span className={row.waitingCapacity === null ? "text-fg-3" : undefined}>{capacityText(row)}</span>
        ),
      text: capacityText,
      csv: ({ waitingCapacity }) => waitingCapacity,
    },
    {
      id: "hand",
      label: "Queues",
      cell: ({ hand }) => <span className="font-mono text-s">{hand?.join(" ") ?? "–"}</span>,
      text: ({ hand }) => hand?.join(" ") ?? "–",
      csv: ({ hand }) => hand?.join(" ") ?? null,
    },
  ];
}

/** `300, fewer than pods`; a dash where the level does not queue. */
const capacityText = ({ waitingCapacity, isOverfull }: FlowRow): string =>
  waitingCapacity === null ? "–" : `${formatCount(waitingCapacity)}${isOverfull ? ", fewer than pods" : ""}`;

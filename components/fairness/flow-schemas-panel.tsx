"use client";

import { useMemo } from "react";
import { ObjectsAge } from "@/components/clusters/panel-age";
import { type Column, csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { SeverityMark } from "@/components/ui/severity";
import type { FairnessResponse } from "@/lib/contracts/cluster";
import { formatPlural } from "@/lib/format/number";
import { FailureList } from "./objects/not-read-state";

const LIST = "flowschemas";

type Schema = NonNullable<FairnessResponse["flowSchemas"]>[number];

/** FlowSchemas in the order in which an API server tries them; the first that matches decides. */
export function FlowSchemasPanel(props: { response: FairnessResponse; levelName: string | null }) {
  const { response, levelName } = props;
  const { flowSchemas, configurationReadAt, configurationApiVersion, header, part } = response;
  const state = part?.isStale === true ? "stale" : "normal";
  const columns = useMemo(() => schemaColumns(levelName), [levelName]);
  return (
    <Panel
      title="FlowSchemas, by matchingPrecedence"
      state={state}
      meta={
        <>
          {configurationApiVersion !== null && <span>{configurationApiVersion}</span>}
          <ObjectsAge at={flowSchemas === null ? null : configurationReadAt} word="read" state={state} />
          <DownloadCsv
            fileName={`headroom-${header.name}-flowschemas`}
            columns={csvColumnsOf(columns)}
            rows={flowSchemas ?? []}
          />
        </>
      }
      foot={
        flowSchemas === null || flowSchemas.length === 0
          ? null
          : `${formatPlural(flowSchemas.length, "FlowSchema")}, tried from the top; the first that matches a request decides. Those of the chosen level are marked.`
      }
    >
      {flowSchemas === null ? (
        <EmptyState kind="unknown" lead="FlowSchemas were not read">
          <p>
            Which request meets which priority level is not known without them. The seats of the levels come
            from the metrics and do not need them.
          </p>
          <FailureList failures={failuresOf(part)} />
        </EmptyState>
      ) : flowSchemas.length === 0 ? (
        <EmptyState lead="There is no FlowSchema in this cluster">
          API servers add their own at start; none means that API Priority and Fairness is off.
        </EmptyState>
      ) : (
        <DataTable
          caption="FlowSchemas, by matchingPrecedence"
          columns={columns}
          rows={flowSchemas}
          rowKey={({ name }) => name}
          isCompact
        />
      )}
    </Panel>
  );
}

/** Why the list is not there: its own failure, or that of the whole part. */
function failuresOf(part: FairnessResponse["part"]) {
  const own = part?.notRead.find(({ what }) => what.split(", ").includes(LIST))?.failure;
  const failure = own ?? (part?.status === "partial" ? null : part?.failure) ?? null;
  return failure === null ? [] : [{ what: LIST, failure }];
}

export function schemaColumns(levelName: string | null): readonly Column<Schema>[] {
  return [
    {
      id: "precedence",
      label: "Precedence",
      isNumeric: true,
      cellClass: "w-[90px]",
      cell: ({ matchingPrecedence }) => String(matchingPrecedence),
      text: ({ matchingPrecedence }) => String(matchingPrecedence),
      csv: ({ matchingPrecedence }) => matchingPrecedence,
    },
    {
      id: "name",
      label: "FlowSchema",
      cell: ({ name }) => <span className="font-medium">{name}</span>,
      text: ({ name }) => name,
      csv: ({ name }) => name,
    },
    {
      id: "level",
      label: "Priority level",
      cell: ({ priorityLevelName, isDangling }) => (
        <span
          className={
            priorityLevelName === levelName ? "border-l-2 border-accent bg-accent-tint px-1.5" : undefined
          }
        >
          {priorityLevelName}
          {isDangling && (
            <span className="ml-2">
              <SeverityMark kind="error" word="dangling: that level does not exist, so it matches nothing" />
            </span>
          )}
        </span>
      ),
      text: ({ priorityLevelName, isDangling }) => `${priorityLevelName}${isDangling ? " (dangling)" : ""}`,
      csv: ({ priorityLevelName }) => priorityLevelName,
    },
    {
      id: "distinguisher",
      label: "Distinguisher",
      cell: ({ distinguisherMethod }) =>
        distinguisherMethod ?? <span className="text-fg-3">none: one flow</span>,
      text: ({ distinguisherMethod }) => distinguisherMethod ?? "none: one flow",
      csv: ({ distinguisherMethod }) => distinguisherMethod,
    },
    {
      id: "autoupdate",
      label: "Follows upgrades",
      cell: ({ autoupdateSpec }) => autoupdateText(autoupdateSpec),
      text: ({ autoupdateSpec }) => autoupdateText(autoupdateSpec),
      csv: ({ autoupdateSpec }) => autoupdateSpec,
    },
  ];
}

/** Annotation `apf.kubernetes.io/autoupdate-spec`: absent on objects that are not the API server's own. */
function autoupdateText(spec: string | null): string {
  if (spec === "true") return "yes";
  return spec === "false" ? "no, auto-update is off" : "–";
}

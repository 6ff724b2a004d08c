"use client";

import { clsx } from "clsx";
import { useQueryStates } from "nuqs";
import { useMemo } from "react";
import { ObjectsAge } from "@/components/clusters/panel-age";
import { csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { Button } from "@/components/ui/button";
import { Panel, PanelBody, type PanelState } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { SeverityMark } from "@/components/ui/severity";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import type { FlowSchemaTrace } from "@/lib/domain/fairness/matching/flow-classifier";
import { NotReadState } from "../objects/not-read-state";
import {
  type Answered,
  prepareAnswer,
  type ResultLine,
  requestLine,
  resultLines,
  type ToolState,
} from "./prepare-answer";
import { RequestFields } from "./request-fields";
import { REQUEST_STATE, type RequestForm, readRequestForm } from "./request-form";
import { isHit, traceColumns } from "./trace-columns";

export const REQUEST_TITLE = "Which FlowSchema catches this request?";

/** The request in the URL, and its answer by what is stored; both change as one types. */
export function useRequestTool(response: FlowControlResponse | undefined, serverId: string | null) {
  const [form, setForm] = useQueryStates(REQUEST_STATE, { history: "push", scroll: false });
  const state = useMemo(
    () => (response === undefined ? null : prepareAnswer(form, response, serverId)),
    [form, response, serverId],
  );
  return useMemo(() => ({ form, setForm, state }), [form, setForm, state]);
}

export type RequestTool = ReturnType<typeof useRequestTool>;

/** Which FlowSchema catches a request, what it costs, and where it is served: worked out in the browser. */
export function RequestPanel(props: {
  response: FlowControlResponse;
  tool: RequestTool;
  /** Of the objects it rests on; the tool itself is never old. */
  state: PanelState;
}) {
  const { response, tool, state: objectState } = props;
  const { form, setForm, state } = tool;
  const { configurationReadAt } = response;
  const columns = useMemo(() => traceColumns(form.why), [form.why]);
  const trace = state?.state === "answered" ? (state.match.classified?.trace ?? []) : [];
  return (
    <Panel
      title={REQUEST_TITLE}
      state={objectState}
      meta={
        <>
          <span>worked out here, no call to the cluster</span>
          <ObjectsAge at={configurationReadAt} word="objects read" state={objectState} />
          <DownloadCsv
            fileName={`headroom-${response.clusterName}-request`}
            columns={csvColumnsOf(columns)}
            rows={trace}
          />
        </>
      }
    >
      <PanelBody className={clsx("grid gap-3", objectState !== "normal" && "pt-2.5")}>
        <RequestFields
          form={form}
          read={readRequestForm(form)}
          accounts={response.accounts}
          onChoose={(change) => void setForm(change)}
          onType={(change) => void setForm(change, { history: "replace" })}
        />
      </PanelBody>
      <div role="status" aria-live="polite" className="sr-only">
        {state !== null && announce(state)}
      </div>
      {state !== null && (
        <Answer
          response={response}
          state={state}
          trace={trace}
          columns={columns}
          hasAllReasons={form.why}
          onReasons={(why) => void setForm({ why })}
        />
      )}
    </Panel>
  );
}

/** What a screen reader is told when the answer changes. */
function announce(state: ToolState): string {
  if (state.state !== "answered") return "";
  const [result] = resultLines(state);
  return result === undefined ? "" : `Result: ${result.lead}`;
}

function Answer(props: {
  response: FlowControlResponse;
  state: ToolState;
  trace: readonly FlowSchemaTrace[];
  columns: ReturnType<typeof traceColumns>;
  hasAllReasons: boolean;
  onReasons: (hasAllReasons: boolean) => void;
}) {
  const { response, state, trace, columns, hasAllReasons, onReasons } = props;
  switch (state.state) {
    case "empty":
      return (
        <EmptyState lead={state.missing === "who" ? "Nobody is named yet" : "No path is given yet"}>
          {state.missing === "who"
            ? "Name the service account or user that sends the request: its FlowSchema, flow, price and source follow."
            : "Give the path as it is sent, with its query."}
        </EmptyState>
      );
    case "invalid":
      return (
        <EmptyState lead="This is no request yet">
          {Object.entries(state.errors).map(([field, error]) => (
            <p key={field}>
              {FIELD_NAMES[field as keyof RequestForm] ?? field}: {error}.
            </p>
          ))}
        </EmptyState>
      );
    case "missing":
      return (
        <NotReadState
          response={response}
          needed={["FlowSchemas", "priority levels", "version"]}
          names={state.missing}
        >
          Nothing can be said about where a request goes without them.
        </NotReadState>
      );
    case "refused":
      return (
        <EmptyState lead="No FlowSchema is asked">
          <p className="font-mono text-s wrap-anywhere">{requestLine(state.request)}</p>
          <p>{state.why} The API server answers 500.</p>
        </EmptyState>
      );
    case "answered":
      return (
        <>
          <DataTable
            caption="Evaluation, by matchingPrecedence"
            columns={columns}
            rows={trace}
            rowKey={({ flowSchemaName }) => flowSchemaName}
            selectedKey={trace.find(({ verdict }) => isHit(verdict))?.flowSchemaName ?? null}
            isCompact
          />
          <div className="flex flex-wrap items-center gap-x-2 border-t border-line px-3 py-1.5 text-s text-fg-3">
            <span className="font-mono text-xs wrap-anywhere">{requestLine(state.request)}</span>
            <span className="ml-auto" />
            <Button
              look="ghost"
              isSmall
              aria-pressed={hasAllReasons}
              onClick={() => onReasons(!hasAllReasons)}
            >
              Every reason
            </Button>
          </div>
          <Result answered={state} />
        </>
      );
    default: {
      const never: never = state;
      throw new Error(`unknown state ${String(never)}`);
    }
  }
}

const FIELD_NAMES: Readonly<Partial<Record<keyof RequestForm, string>>> = {
  account: "Service account",
  rv: "resourceVersion",
  fields: "fieldSelector",
  labels: "labelSelector",
  watchers: "Watches on it",
  resource: "Resource",
  namespace: "Namespace",
  name: "Name",
  path: "Path and query",
};

function Result({ answered }: { answered: Answered }) {
  const { price, server } = answered;
  return (
    <div className="grid gap-2 border-t border-line px-3 py-2">
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5">
        {resultLines(answered).map((line) => (
          <ResultRow key={line.id} line={line} />
        ))}
      </dl>
      <div className="text-s text-fg-3">
        Rests on{server === null ? "" : ` ${server.name}`}:{" "}
        {price.facts.map(({ label, text, isKnown }, index) => (
          <span key={label}>
            {index > 0 && "; "}
            {label} <span className={isKnown ? undefined : "text-unknown"}>{text}</span>
          </span>
        ))}
        . etcd is taken {answered.request.hasEtcdProgress ? "to answer" : "not to answer"} progress requests,
        the watch cache to be filled.
      </div>
    </div>
  );
}

function ResultRow({ line }: { line: ResultLine }) {
  const { id, label, lead, sentences, isOpen } = line;
  return (
    <>
      <dt className="text-fg-3">{label}</dt>
      <dd className="min-w-0 wrap-anywhere">
        {isOpen ? (
          <SeverityMark kind="unknown" word={<b>{lead}</b>} />
        ) : (
          <b className={id === "hand" ? "font-mono text-s" : undefined}>{lead}</b>
        )}
        {sentences.map((sentence) => (
          <span key={sentence} className="block text-s text-fg-2">
            {sentence}
          </span>
        ))}
      </dd>
    </>
  );
}

"use client";

import { type Column, csvColumnsOf } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import { EvidenceChip } from "@/components/ui/evidence-chip";
import { Panel, PanelBody, type PanelState } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { VerdictMark } from "@/components/ui/verdict-mark";
import type { FanOutAgent } from "@/lib/contracts/fan-out";
import { describeInformer } from "@/lib/domain/agents/informer-text";
import { formatCount } from "@/lib/format/number";

type Informer = FanOutAgent["agent"]["informers"][number];

/** Why the chosen agent has its verdict, what each copy reads and how that is known, and what was assumed. */
export function EvidencePanel({
  agent,
  clusterName,
  state,
}: {
  agent: FanOutAgent;
  clusterName: string;
  state: PanelState;
}) {
  const { projection, title } = agent;
  const { informers, conflicts, image, userName, client } = agent.agent;
  const assumptions = [...new Set([...agent.assumptions, ...(projection?.assumptions ?? [])])];
  return (
    <Panel
      title={`What ${title} rests on`}
      state={state}
      meta={
        <>
          {projection !== null && <VerdictMark verdict={projection.verdict} />}
          {informers.length > 0 && (
            <DownloadCsv
              fileName={`headroom-${clusterName}-${agent.agent.name}-informers`}
              columns={csvColumnsOf(INFORMER_COLUMNS)}
              rows={informers}
            />
          )}
        </>
      }
      foot={assumptions.length === 0 ? null : <Assumptions all={assumptions} />}
    >
      <PanelBody className="grid gap-2">
        {projection !== null && <Reasons agent={agent} />}
        <p className="text-s wrap-anywhere text-fg-2">
          {image === null ? "It runs from no image." : <span className="font-mono">{image}</span>} To the API
          server it is {userName ?? "a user that is not known"}, by {client.library}
          {client.version === null ? ", version not known" : ` ${client.version}`}{" "}
          <EvidenceChip evidence={client.evidence} about={`${agent.agent.name}, its client library`} />
        </p>
        {agent.unknown.length > 0 && (
          <p className="text-s text-unknown">Not known: {agent.unknown.join("; ")}.</p>
        )}
        {conflicts.map(({ subject, claims }) => (
          <p key={subject} className="text-s text-warning">
            {subject}:{" "}
            {claims
              .map(({ says, evidence }) => `${says} (${evidence.grade}, ${evidence.source})`)
              .join("; but ")}
            .
          </p>
        ))}
      </PanelBody>
      {informers.length === 0 ? (
        <EmptyState
          kind={agent.agent.isKnown ? "info" : "unknown"}
          lead={agent.agent.isKnown ? "It reads nothing" : "Not known what it reads"}
        >
          {agent.agent.isKnown
            ? "By what is known it asks the API server for no collection."
            : "An audit log over the start of one copy tells, or the annotation headroom.dev/informers on the workload."}
        </EmptyState>
      ) : (
        <DataTable
          caption={`What each copy of ${title} reads`}
          columns={INFORMER_COLUMNS}
          rows={informers}
          rowKey={informerKey}
          isCompact
        />
      )}
    </Panel>
  );
}

function Reasons({ agent }: { agent: FanOutAgent }) {
  const { projection } = agent;
  if (projection === null) return null;
  const { reasons, skipped, seeds, undrained } = projection;
  if (reasons.length === 0) {
    return (
      <p className="text-fg-2">
        {skipped ??
          `Nobody would notice, in ${formatCount(seeds)} of ${formatCount(seeds)} seeds (simulated).`}
      </p>
    );
  }
  return (
    <ul className="grid gap-0.5">
      {reasons.map(({ reason, text, verdict }) => (
        <li key={`${reason} ${text}`}>
          <span className="text-fg-3">{verdict}:</span> {text}
        </li>
      ))}
      {undrained > 0 && (
        <li className="text-s text-fg-3">
          It does not drain in {formatCount(undrained)} of {formatCount(seeds)} seeds (simulated).
        </li>
      )}
    </ul>
  );
}

const ASSUMPTIONS_SHOWN = 3;

function Assumptions({ all }: { all: readonly string[] }) {
  const rest = all.slice(ASSUMPTIONS_SHOWN);
  return (
    <>
      Assumed: {all.slice(0, ASSUMPTIONS_SHOWN).join(" ")}
      {rest.length > 0 && (
        <details>
          <summary className="w-fit text-fg-2 hover:text-fg">
            {formatCount(rest.length)} more assumptions
          </summary>
          {rest.join(" ")}
        </details>
      )}
    </>
  );
}

const informerKey = (informer: Informer): string =>
  `${describeInformer(informer)} ${informer.container ?? ""} ${informer.evidence.source}`;

const INFORMER_COLUMNS: readonly Column<Informer>[] = [
  {
    id: "reads",
    label: "Reads",
    cellClass: "wrap",
    cell: (row) => <span className="font-mono text-xs">{describeInformer(row)}</span>,
    text: describeInformer,
    csv: describeInformer,
  },
  {
    id: "grade",
    label: "Evidence",
    cell: (row) => <EvidenceChip evidence={row.evidence} about={describeInformer(row)} isInRow />,
    text: ({ evidence }) => evidence.grade,
    csv: ({ evidence }) => evidence.grade,
  },
  {
    id: "source",
    label: "Source",
    cellClass: "wrap",
    cell: ({ evidence }) => evidence.source,
    text: ({ evidence }) => evidence.source,
    csv: ({ evidence }) => evidence.source,
  },
  {
    id: "raised",
    label: "Raised by",
    cellClass: "wrap text-fg-2",
    cell: ({ evidence }) => evidence.raisedBy ?? "–",
    text: ({ evidence }) => evidence.raisedBy ?? "–",
    csv: ({ evidence }) => evidence.raisedBy,
  },
];

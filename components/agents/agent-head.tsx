import Link from "next/link";
import type { ReactNode } from "react";
import { prepareInformers } from "@/components/fan-out/prepare-informers";
import { PageHead } from "@/components/frame/page-head";
import { EvidenceChip } from "@/components/ui/evidence-chip";
import type { AgentResponse } from "@/lib/contracts/agent-pages";
import { formatCount, formatPlural } from "@/lib/format/number";

export const AGENT_KIND_WORDS: Readonly<Record<AgentResponse["kind"], string>> = {
  DaemonSet: "DaemonSet",
  Deployment: "Deployment",
  StatefulSet: "StatefulSet",
  StaticPod: "static pod",
  "node-client": "client of each node",
  client: "client",
};

/** Name, versions over the fleet, and what it reads on the chosen cluster with its evidence. */
export function AgentHead({ response, actions }: { response: AgentResponse; actions: ReactNode }) {
  const { title, kind, subject } = response;
  const name = title.slice(title.indexOf("/") + 1);
  const namespace = title.includes("/") ? title.slice(0, title.indexOf("/")) : null;
  return (
    <PageHead
      title={name}
      crumb={
        <>
          <Link href="/agents">Agents</Link>
          {namespace !== null && (
            <>
              {" "}
              <span aria-hidden="true">/</span> <span>{namespace}</span>
            </>
          )}{" "}
          <span aria-hidden="true">/</span> <span aria-current="page">{name}</span>
        </>
      }
      facts={
        <>
          <span>
            {AGENT_KIND_WORDS[kind]}
            {versionsOf(response).map(({ version, clusters, copies }, index) => (
              <span key={version ?? ""}>
                {index === 0 ? ", " : "; "}
                <b>{version ?? "version not known"}</b> on {formatPlural(clusters, "cluster")},{" "}
                <b>{formatCount(copies)}</b> {copies === 1 ? "copy" : "copies"}
              </span>
            ))}
          </span>
          {subject !== null && <SubjectFacts subject={subject} />}
        </>
      }
      actions={actions}
    />
  );
}

function SubjectFacts({ subject }: { subject: NonNullable<AgentResponse["subject"]> }) {
  const { agent, levels } = subject;
  const [level] = levels;
  const { lines, more } = prepareInformers(agent.informers);
  return (
    <>
      {agent.userName !== null && (
        <span>
          as <b className="wrap-anywhere">{agent.userName}</b>
        </span>
      )}
      {level !== undefined && (
        <span>
          {level.flowSchemaName} → <b>{level.priorityLevelName}</b>,{" "}
          {level.isOneFlow ? "one flow" : "a flow per copy"}
        </span>
      )}
      {!agent.isKnown && <span className="text-unknown">not known what it reads</span>}
      {agent.isKnown && lines.length === 0 && <span>reads nothing</span>}
      {lines.map(({ text, names, evidence }) => (
        <span key={text} title={names.join(", ")}>
          {text} <EvidenceChip evidence={evidence} about={`${agent.name}, ${text}`} />
        </span>
      ))}
      {more > 0 && <span>and {formatCount(more)} more</span>}
      <span>
        {agent.client.library} <b>{agent.client.version ?? "version not known"}</b>{" "}
        <EvidenceChip evidence={agent.client.evidence} about={`${agent.name}, its client library`} />
      </span>
    </>
  );
}

/** Versions over the clusters, most copies first. */
export function versionsOf({ clusters }: Pick<AgentResponse, "clusters">) {
  return [...Map.groupBy(clusters, ({ version }) => version)]
    .map(([version, rows]) => ({
      version,
      clusters: rows.length,
      copies: rows.reduce((sum, { copies }) => sum + (copies ?? 0), 0),
    }))
    .sort((a, b) => b.copies - a.copies);
}

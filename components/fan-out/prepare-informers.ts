import type { AgentInformer } from "@/lib/domain/agents/agent";
import type { Evidence } from "@/lib/domain/agents/evidence";
import { formatCount } from "@/lib/format/number";

/** Informers that are read in one way and known by one source: a line of the table. */
export interface InformerLine {
  /** `pods, namespaces, all`. */
  readonly text: string;
  /** All of them, for people who want to know. */
  readonly names: readonly string[];
  readonly evidence: Evidence;
}

/** More names than this are counted. */
const NAMED = 3;
/** More lines than this are counted. */
const LINES = 3;

export interface InformerLines {
  readonly lines: readonly InformerLine[];
  /** Informers on lines that are left out. */
  readonly more: number;
}

/** What every copy reads, in few lines: the widest first. Groups of one manner and one evidence stay together. */
export function prepareInformers(informers: readonly AgentInformer[]): InformerLines {
  const groups = Map.groupBy(informers, (informer) =>
    JSON.stringify([mannerOf(informer), informer.evidence.grade, informer.evidence.source]),
  );
  const lines = [...groups.values()]
    .sort((a, b) => rankOf(a[0]) - rankOf(b[0]))
    .flatMap((alike) => {
      const [first] = alike;
      if (first === undefined) return [];
      const names = [...new Set(alike.map(({ resource }) => (resource === "*" ? "everything" : resource)))];
      return [{ text: lineText(names, mannerOf(first)), names, evidence: first.evidence }];
    });
  const shown = lines.slice(0, LINES);
  return { lines: shown, more: lines.slice(LINES).reduce((sum, { names }) => sum + names.length, 0) };
}

function lineText(names: readonly string[], manner: string): string {
  const named = names.slice(0, NAMED).join(", ");
  const rest = names.length - NAMED;
  const what = rest > 0 ? `${named} and ${formatCount(rest)} more` : named;
  return manner === "" ? what : `${what}, ${manner}`;
}

/** How a collection is read, beyond an informer over all of it. */
function mannerOf({ scope, mode, namespace, isLeaderOnly, labelSelector }: AgentInformer): string {
  const parts = [scopeText(scope, namespace)];
  if (labelSelector !== null) parts.push("by label");
  if (mode === "poll") parts.push("polled");
  else if (mode === "list") parts.push("once");
  else if (mode === "get") parts.push("one by one");
  if (isLeaderOnly === true) parts.push("leader only");
  return parts.filter((part) => part !== "").join(", ");
}

function scopeText(scope: AgentInformer["scope"], namespace: string | null): string {
  switch (scope) {
    case "cluster":
      return "all";
    case "own-node":
      return "own node";
    case "namespace":
      return namespace === null ? "own namespace" : `namespace ${namespace}`;
    case "single-object":
      return "single objects";
  }
}

const SCOPES: readonly AgentInformer["scope"][] = ["cluster", "namespace", "own-node", "single-object"];
const rankOf = (informer: AgentInformer | undefined) =>
  informer === undefined ? 0 : SCOPES.indexOf(informer.scope);

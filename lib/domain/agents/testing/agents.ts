import type { AgentInformer } from "../agent.ts";
import type { AgentContainer, AgentWorkload } from "../agent-workload.ts";
import type { Evidence } from "../evidence.ts";
import { parseInformersAnnotation } from "../informers-annotation.ts";

/** An instant for tests, milliseconds since the epoch. */
export const NOW = Date.UTC(2026, 10, 30, 9, 42, 10);

export const evidenceFor = (over: Partial<Evidence> = {}): Evidence => ({
  grade: "measured",
  source: "audit log audit.jsonl",
  observedAt: NOW - 3_600_000,
  citation: null,
  raisedBy: null,
  ...over,
});

/** Informers in the language of the annotation. */
export function informersOf(text: string, evidence: Evidence = evidenceFor()): AgentInformer[] {
  const { informers, problems } = parseInformersAnnotation(text);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return informers.map((each) => ({ ...each, evidence }));
}

export const containerFor = (over: Partial<AgentContainer> = {}): AgentContainer => ({
  name: "agent",
  image: "registry.example.com/telemetry/node-telemetry:2.6.3",
  words: [],
  variables: [],
  configTexts: [],
  isConfigKnown: true,
  ...over,
});

export const workloadFor = (over: Partial<AgentWorkload> = {}): AgentWorkload => ({
  kind: "DaemonSet",
  namespace: "observability",
  name: "node-telemetry",
  serviceAccountName: "node-telemetry",
  labels: {},
  containers: [containerFor()],
  replicas: { kind: "per-node", count: 2000 },
  isKeptFromNodes: false,
  informersAnnotation: null,
  ...over,
});

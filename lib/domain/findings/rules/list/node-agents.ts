import { numberAt, textAt, valueAt } from "../../json-value.ts";
import { accountOfUser } from "../../reads/client-subject.ts";
import { isKubelets, type ReadClient, type ReadShape } from "../../reads/read-ledger.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import type { ScannedObject } from "../../scanned-object.ts";

/** Where an object that names no namespace ends up. */
const DEFAULT_NAMESPACE = "default";

/** A DaemonSet with the account that its pods use. */
export interface NodeAgent {
  readonly daemonSet: ScannedObject;
  readonly namespace: string;
  readonly accountName: string;
  /** Nodes it runs on; `null`: not known. */
  readonly copies: number | null;
  /** False where its pods get no token of the account: what RBAC allows it cannot use. */
  readonly hasToken: boolean;
}

const known = new WeakMap<ScanFacts, readonly NodeAgent[]>();

/** Every DaemonSet that was given, in the order of the input. */
export function nodeAgentsOf(facts: ScanFacts): readonly NodeAgent[] {
  const found = known.get(facts) ?? findNodeAgents(facts);
  known.set(facts, found);
  return found;
}

function findNodeAgents(facts: ScanFacts): readonly NodeAgent[] {
  return facts.objects.ofKind("DaemonSet").map((daemonSet) => {
    const { body } = daemonSet;
    const namespace = daemonSet.namespace ?? DEFAULT_NAMESPACE;
    const podSpec = valueAt(body, "spec", "template", "spec");
    const accountName =
      textAt(podSpec, "serviceAccountName") || textAt(podSpec, "serviceAccount") || "default";
    const account =
      facts.objects.find("ServiceAccount", daemonSet.namespace, accountName) ??
      facts.objects.find("ServiceAccount", namespace, accountName);
    const mounts =
      valueAt(podSpec, "automountServiceAccountToken") ??
      valueAt(account?.body, "automountServiceAccountToken");
    return {
      daemonSet,
      namespace,
      accountName,
      copies: numberAt(body, "status", "desiredNumberScheduled") ?? facts.cluster.nodes,
      hasToken: mounts !== false || hasProjectedToken(podSpec),
    };
  });
}

/** A token may be mounted by hand where the automatic one is off. */
function hasProjectedToken(podSpec: unknown): boolean {
  return JSON.stringify(valueAt(podSpec, "volumes") ?? null).includes('"serviceAccountToken"');
}

/** Clients seen that are no coincidence where the number of nodes is not known. */
const COPIES_OF_MANY_NODES = 10;

/**
 * Copies of a client that runs on every node: kubelets, accounts of a DaemonSet, and clients of whom at least half as
 * many copies as there are nodes were seen (10, where their number is not known). `null` for others.
 */
export function copiesOnNodes(
  client: ReadClient,
  { copies: { size: seen } }: Pick<ReadShape, "copies">,
  facts: ScanFacts,
): number | null {
  const { nodes } = facts.cluster;
  if (isKubelets(client)) return nodes ?? seen;
  const account = accountOfUser(client.name);
  const agent =
    account === null
      ? undefined
      : nodeAgentsOf(facts).find(
          ({ namespace, accountName }) => namespace === account.namespace && accountName === account.name,
        );
  if (agent !== undefined) return agent.copies ?? seen;
  if (nodes !== null) return seen >= 2 && seen >= nodes / 2 ? nodes : null;
  return seen >= COPIES_OF_MANY_NODES ? seen : null;
}

import { parseRequest } from "../../kubernetes/request.ts";
import { dealHand } from "../shuffle-sharding/deal-hand.ts";
import { hashFlow } from "../shuffle-sharding/flow-hash.ts";
import { FlowClassifier, type FlowConfiguration } from "./flow-classifier.ts";
import { serviceAccountUser } from "./request-user.ts";

/** A ServiceAccount and the pods that run as it. */
export interface FlowAccount {
  readonly namespace: string;
  readonly name: string;
  readonly pods: number;
}

/** The request that each of them sends. */
export interface RequestShape {
  /** HTTP method. */
  readonly method: string;
  /** `{namespace}` stands for the account's own namespace. */
  readonly path: string;
  readonly query?: string | undefined;
}

/** Accounts whose requests share one flow: one hand of queues, one turn in the order of dispatch. */
export interface CollapsedFlow {
  readonly flowSchemaName: string;
  readonly priorityLevelName: string;
  readonly flowDistinguisher: string;
  /** The queues of the flow in deal order; `null` on levels without queues. */
  readonly hand: readonly number[] | null;
  /** Requests of the flow that can wait at once before `queue-full`: queues of the hand × length limit; `null` likewise. */
  readonly waitingCapacity: number | null;
  /** Most pods first, then by namespace and name. */
  readonly accounts: readonly FlowAccount[];
  /** Pods behind all of them. */
  readonly pods: number;
}

const NAMESPACE_PLACEHOLDER = "{namespace}";

/**
 * Which accounts share a flow when each sends the given request: most pods first, then most accounts, then by name.
 * Flows of one level that share queues are flows of their own here, though they may meet in a queue.
 *
 * @throws {RangeError} where the path is one that the API server refuses before it classifies the request.
 */
export function collapseFlows(
  configuration: FlowConfiguration,
  accounts: readonly FlowAccount[],
  { method, path, query = "" }: RequestShape,
): CollapsedFlow[] {
  const classifier = new FlowClassifier(configuration);
  const parse = (namespace: string) => {
    const ownPath = path.replaceAll(NAMESPACE_PLACEHOLDER, namespace);
    const info = parseRequest(method, ownPath, query, configuration.minor);
    if (info.error !== null) throw new RangeError(info.error);
    return info;
  };
  const common = path.includes(NAMESPACE_PLACEHOLDER) ? null : parse("");
  const flows = new Map<string, Omit<CollapsedFlow, "accounts" | "pods"> & { accounts: FlowAccount[] }>();
  for (const account of accounts) {
    const { flowSchema, priorityLevel, flowDistinguisher } = classifier.classify({
      user: serviceAccountUser(account.namespace, account.name),
      requestInfo: common ?? parse(account.namespace),
    });
    const key = `${flowSchema.name}\0${flowDistinguisher}`;
    const known = flows.get(key);
    if (known !== undefined) {
      known.accounts.push(account);
      continue;
    }
    const { queues, handSize, queueLengthLimit } = priorityLevel;
    const hasQueues = queues !== null && handSize !== null && queueLengthLimit !== null;
    flows.set(key, {
      flowSchemaName: flowSchema.name,
      priorityLevelName: priorityLevel.name,
      flowDistinguisher,
      hand: hasQueues ? dealHand(hashFlow(flowSchema.name, flowDistinguisher), queues, handSize) : null,
      waitingCapacity: hasQueues ? handSize * queueLengthLimit : null,
      accounts: [account],
    });
  }
  return [...flows.values()]
    .map((flow) => ({
      ...flow,
      accounts: flow.accounts.toSorted(compareAccounts),
      pods: flow.accounts.reduce((sum, { pods }) => sum + pods, 0),
    }))
    .sort(
      (a, b) =>
        b.pods - a.pods ||
        b.accounts.length - a.accounts.length ||
        compareText(a.flowSchemaName, b.flowSchemaName) ||
        compareText(a.flowDistinguisher, b.flowDistinguisher),
    );
}

const compareAccounts = (a: FlowAccount, b: FlowAccount) =>
  b.pods - a.pods || compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

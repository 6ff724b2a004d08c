import { FlowClassifier } from "../../fairness/matching/flow-classifier.ts";
import { userOf } from "../../fairness/matching/request-user.ts";
import { ruleVersion } from "../../kubernetes/version.ts";
import type { StormCluster } from "../storm-input.ts";
import type { OwnLevelObjects } from "./own-level.ts";

/** Requests that were recorded, as an audit log or `dump_requests` shows them. */
export interface RecordedRequests {
  readonly userName: string;
  /** Absent: those that follow from the name. */
  readonly userGroups?: readonly string[] | undefined;
  readonly verb: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** Empty: in the whole cluster. */
  readonly namespace: string;
  readonly requests: number;
  /** Most seats that they held at once on one API server; `null`: not recorded. */
  readonly peakSeats: number | null;
}

export interface CaughtTraffic {
  readonly userName: string;
  /** `list pods`. */
  readonly what: string;
  readonly requests: number;
  readonly peakSeats: number | null;
  /** Where they went before. */
  readonly fromFlowSchemaName: string;
  readonly fromPriorityLevelName: string;
  /** It is one of the agents that the objects were made for. */
  readonly isIntended: boolean;
}

export interface FlowSchemaCheck {
  /** Recorded requests, all together. */
  readonly requests: number;
  /** What the new FlowSchemas would have caught, most requests first. */
  readonly caught: readonly CaughtTraffic[];
  /** Recorded requests of the agents that it would not have caught. */
  readonly missed: readonly Omit<CaughtTraffic, "isIntended">[];
  /** Seats that the caught held at once, at most; `null`: of some not recorded. */
  readonly peakSeats: number | null;
  readonly nominalSeats: number;
  /** `throttled`: they held more than the level has. `null`: it cannot be told from what was recorded. */
  readonly isThrottled: boolean | null;
}

/** Whom the objects would have caught, and whether they would have had to wait: recorded traffic, classified anew. */
export function checkFlowSchema(
  cluster: StormCluster,
  objects: OwnLevelObjects,
  agentUsers: readonly string[],
  traffic: readonly RecordedRequests[],
): FlowSchemaCheck {
  const { minor } = ruleVersion(cluster.kubernetesVersion);
  const before = new FlowClassifier({ ...cluster, minor });
  const after = new FlowClassifier({
    minor,
    flowSchemas: [...cluster.flowSchemas, ...objects.flowSchemas],
    priorityLevels: [...cluster.priorityLevels, objects.priorityLevel],
  });
  const intended = agentUsers.map((user) => new RegExp(`^${user.split("*").map(escapeText).join("[^:]+")}$`));
  const caught: CaughtTraffic[] = [];
  const missed: Omit<CaughtTraffic, "isIntended">[] = [];
  for (const row of traffic) {
    const { userName, verb, apiGroup, resource, subresource = "", namespace } = row;
    const request = {
      user: row.userGroups === undefined ? userOf(userName) : { name: userName, groups: row.userGroups },
      requestInfo: { isResourceRequest: true, path: "", verb, apiGroup, resource, subresource, namespace },
    };
    const was = before.classify(request);
    const isIntended = intended.some((pattern) => pattern.test(userName));
    const entry = {
      userName,
      what: `${verb} ${resource}${apiGroup === "" ? "" : `.${apiGroup}`}${subresource === "" ? "" : `/${subresource}`}`,
      requests: row.requests,
      peakSeats: row.peakSeats,
      fromFlowSchemaName: was.flowSchema.name,
      fromPriorityLevelName: was.priorityLevel.name,
    };
    if (after.classify(request).priorityLevel.name === objects.priorityLevel.name)
      caught.push({ ...entry, isIntended });
    else if (isIntended) missed.push(entry);
  }
  const peakSeats = caught.some((each) => each.peakSeats === null)
    ? null
    : caught.reduce((sum, each) => sum + (each.peakSeats ?? 0), 0);
  const most = (a: { requests: number; userName: string; what: string }, b: typeof a) =>
    b.requests - a.requests || compare(a.userName, b.userName) || compare(a.what, b.what);
  return {
    requests: traffic.reduce((sum, { requests }) => sum + requests, 0),
    caught: caught.sort(most),
    missed: missed.sort(most),
    peakSeats,
    nominalSeats: objects.nominalSeats,
    isThrottled: peakSeats === null ? null : peakSeats > objects.nominalSeats,
  };
}

const escapeText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

import { parseRequest, type RequestInfo } from "../../kubernetes/request.ts";
import { ruleVersion } from "../../kubernetes/version.ts";
import {
  DEFAULTS,
  expandFlowSchemas,
  expandPriorityLevels,
  type FlowSchemaList,
  type PriorityLevelList,
} from "../configuration/expand-objects.ts";
import { FlowClassifier, type FlowSchemaTrace } from "./flow-classifier.ts";
import { userOf } from "./request-user.ts";

/** A request and the configuration it meets, in the fields of the vector set `flow-match`. */
export interface FlowMatchInput {
  /** Kubernetes version, e.g. "1.34.13". */
  readonly v: string;
  /** "defaults" stands for all default objects of the version. Absent: these alone. */
  readonly priorityLevels?: PriorityLevelList | undefined;
  readonly flowSchemas?: FlowSchemaList | undefined;
  /** Absent: nobody, `system:anonymous`. */
  readonly user?: string | undefined;
  /** Absent: what follows from the name, see `userOf`. */
  readonly groups?: readonly string[] | undefined;
  /** HTTP method. Absent: GET. */
  readonly method?: string | undefined;
  readonly path: string;
  /** Raw, without the question mark. */
  readonly query?: string | undefined;
}

export type MatchedRequestInfo = Pick<
  RequestInfo,
  "isResourceRequest" | "verb" | "apiGroup" | "resource" | "subresource" | "namespace" | "name" | "path"
>;

export interface FlowMatchAnswer {
  /** What the API server makes of the request. */
  readonly requestInfo: MatchedRequestInfo;
  /** Names; `null` where the request fails before it is classified, and `error` says why. */
  readonly flowSchema: string | null;
  readonly priorityLevel: string | null;
  readonly distinguisher: string | null;
  /** How each FlowSchema fared that was tried, in order; the last one takes the request. */
  readonly trace: readonly FlowSchemaTrace[];
  readonly error: string | null;
}

/**
 * Which FlowSchema takes a request, and why the earlier ones do not.
 *
 * @throws {RangeError} where `v` is no version.
 */
export function matchFlow({
  v,
  priorityLevels = [DEFAULTS],
  flowSchemas = [DEFAULTS],
  user = "system:anonymous",
  groups,
  method = "GET",
  path,
  query = "",
}: FlowMatchInput): FlowMatchAnswer {
  const { minor } = ruleVersion(v);
  const info = parseRequest(method, path, query, minor);
  const requestInfo = pickInfo(info);
  if (info.error !== null) {
    return {
      requestInfo,
      flowSchema: null,
      priorityLevel: null,
      distinguisher: null,
      trace: [],
      error: info.error,
    };
  }
  const classifier = classifierFor(flowSchemas, priorityLevels, minor);
  const known = userOf(user);
  const traced = classifier.trace({
    user: groups === undefined ? known : { name: user, groups },
    requestInfo: info,
  });
  return {
    requestInfo,
    flowSchema: traced.flowSchema.name,
    priorityLevel: traced.priorityLevel.name,
    distinguisher: traced.flowDistinguisher,
    trace: traced.trace,
    error: null,
  };
}

/** One for the defaults of a minor is made once: most questions are about them. */
const forDefaults = new Map<number, FlowClassifier>();

function classifierFor(
  flowSchemas: FlowSchemaList,
  priorityLevels: PriorityLevelList,
  minor: number,
): FlowClassifier {
  const areDefaults = isDefaults(flowSchemas) && isDefaults(priorityLevels);
  const found = areDefaults ? forDefaults.get(minor) : undefined;
  if (found !== undefined) return found;
  const classifier = new FlowClassifier({
    flowSchemas: expandFlowSchemas(flowSchemas, minor),
    priorityLevels: expandPriorityLevels(priorityLevels, minor),
    minor,
  });
  if (areDefaults) forDefaults.set(minor, classifier);
  return classifier;
}

const isDefaults = (listed: readonly unknown[]) => listed.length === 1 && listed[0] === DEFAULTS;

const pickInfo = ({
  isResourceRequest,
  verb,
  apiGroup,
  resource,
  subresource,
  namespace,
  name,
  path,
}: RequestInfo): MatchedRequestInfo => ({
  isResourceRequest,
  verb,
  apiGroup,
  resource,
  subresource,
  namespace,
  name,
  path,
});

import type { FlowSchemaList, PriorityLevelList } from "../domain/fairness/index.ts";
import type { MatchedRequestInfo } from "../domain/fairness/matching/match-line.ts";

/** One vector of the set flow-match; every field is there. */
export interface FlowMatchVector {
  readonly id: string;
  readonly versions: readonly string[];
  readonly kind: string;
  readonly priorityLevels: PriorityLevelList;
  readonly flowSchemas: FlowSchemaList;
  readonly user: string;
  readonly groups: readonly string[];
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly requestInfo: MatchedRequestInfo;
  readonly flowSchema: string;
  readonly priorityLevel: string;
  readonly distinguisher: string;
}

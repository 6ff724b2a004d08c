import { expect, test } from "vitest";
import { expandFlowSchemas, expandPriorityLevels } from "@/lib/domain/fairness";
import type { MatchedRequestInfo } from "@/lib/domain/fairness/matching/match-line";
import { ruleVersion } from "@/lib/domain/kubernetes/version";
import type { FlowMatchVector } from "@/lib/vectors/flow-match-vector";
import { readVectors } from "@/lib/vectors/read-vectors";
import { matchRequest } from "./answer-request";
import { type RequestForm, readRequestForm } from "./request-form";
import { EMPTY_FORM } from "./request-form.test-support";

const { vectors } = readVectors<FlowMatchVector>("flow-match.json.gz");

/** What somebody would put into the form to ask about a recorded request. */
function formOf({ user, groups, method, path, query }: FlowMatchVector): RequestForm {
  return {
    ...EMPTY_FORM,
    who: "user",
    user,
    groups: groups.join("\n"),
    by: "path",
    method: method as RequestForm["method"],
    path: query === "" ? path : `${path}?${query}`,
  };
}

test("the tool answers every recorded request as the API server did, in every version: 430 vectors", () => {
  let asked = 0;
  const wrong: object[] = [];
  for (const vector of vectors) {
    for (const v of vector.versions) {
      asked += 1;
      const { minor } = ruleVersion(v);
      const read = readRequestForm(formOf(vector));
      if (read.state !== "ready") {
        wrong.push({ id: vector.id, v, read });
        continue;
      }
      const { classified, info } = matchRequest(
        {
          v,
          flowSchemas: expandFlowSchemas(vector.flowSchemas, minor),
          priorityLevels: expandPriorityLevels(vector.priorityLevels, minor),
        },
        read.request,
      );
      const own = [
        classified?.flowSchema.name,
        classified?.priorityLevel.name,
        classified?.flowDistinguisher,
        ...Object.keys(vector.requestInfo).map((field) => info[field as keyof MatchedRequestInfo]),
      ];
      const { flowSchema, priorityLevel, distinguisher, requestInfo } = vector;
      const expected = [flowSchema, priorityLevel, distinguisher, ...Object.values(requestInfo)];
      if (JSON.stringify(own) !== JSON.stringify(expected)) wrong.push({ id: vector.id, v, own, expected });
    }
  }
  expect(wrong).toEqual([]);
  expect(vectors).toHaveLength(430);
  expect(asked).toBeGreaterThan(vectors.length);
});

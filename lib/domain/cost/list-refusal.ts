import { parseFieldSelector } from "../kubernetes/field-selector.ts";
import { isLabelSelector } from "../kubernetes/label-selector.ts";
import type { ListOptions } from "../kubernetes/list-options.ts";
import type { Refusal } from "./serving.ts";

/**
 * Why the API server refuses the parameters of a LIST before it looks for objects, or `null`. APF prices such requests
 * all the same. Source: apimachinery pkg/apis/meta/internalversion/validation; apiserver pkg/storage/interfaces.go.
 */
export function refusalOfOptions(options: ListOptions, minor: number): Refusal | null {
  if (!options.isDecodable) return refused(400, "limit or timeoutSeconds is not an integer");
  if (parseFieldSelector(options.fieldSelector) === null)
    return refused(400, "the field selector is malformed");
  if (!isLabelSelector(options.labelSelector, minor)) return refused(400, "the label selector is malformed");
  const { resourceVersion: rv, resourceVersionMatch: match } = options;
  if (match !== "") {
    if (rv === "") return refused(422, "resourceVersionMatch is forbidden without resourceVersion");
    if (options.continue !== "") return refused(422, "resourceVersionMatch is forbidden with continue");
    if (match !== "Exact" && match !== "NotOlderThan") {
      return refused(422, "resourceVersionMatch is neither Exact nor NotOlderThan");
    }
    if (match === "Exact" && rv === "0")
      return refused(422, "resourceVersionMatch Exact is forbidden for resourceVersion 0");
  }
  if (options.sendInitialEvents !== null && minor >= 27)
    return refused(422, "sendInitialEvents is forbidden for a LIST");
  if (options.continue !== "" && rv !== "" && rv !== "0")
    return refused(400, "resourceVersion is not allowed with continue");
  if (rv !== "" && !/^\d{1,20}$/.test(rv)) return refused(400, "resourceVersion is not a number");
  return null;
}

const refused = (status: number, message: string): Refusal => ({ status, message, retryAfterSeconds: null });

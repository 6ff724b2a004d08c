import { parseFieldSelector } from "../kubernetes/field-selector.ts";
import { isLabelSelector } from "../kubernetes/label-selector.ts";
import type { ListOptions } from "../kubernetes/list-options.ts";
import type { Refusal } from "./serving.ts";

/**
 * Why the API server refuses the parameters of a LIST before it looks for objects, or `null`. APF prices such requests
 * all the same. Source: apimachinery pkg/apis/meta/internalversion/validation; apiserver pkg/storage/interfaces.go.
 */
export function refusalOfOptions(options: ListOptions, minor: number): Refusal | null {
  const undecodable = refusalOfDecoding(options, minor);
  if (undecodable !== null) return undecodable;
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
  return isVersion(rv) ? null : refused(400, "resourceVersion is not a number");
}

/** The same of the parameters of a WATCH. */
export function refusalOfWatchOptions(
  options: ListOptions,
  minor: number,
  hasWatchList: boolean,
): Refusal | null {
  const undecodable = refusalOfDecoding(options, minor);
  if (undecodable !== null) return undecodable;
  const { resourceVersionMatch: match } = options;
  // The field came with 1.27; before, it is passed over as any unknown one.
  const sendInitialEvents = minor >= 27 ? options.sendInitialEvents : null;
  if (sendInitialEvents !== null) {
    if (match !== "NotOlderThan")
      return refused(422, "sendInitialEvents requires resourceVersionMatch NotOlderThan");
    if (!hasWatchList)
      return refused(422, "sendInitialEvents is forbidden unless the WatchList feature gate is on");
    if (options.continue !== "") return refused(422, "resourceVersionMatch is forbidden with continue");
  } else if (match !== "") {
    return refused(422, "resourceVersionMatch is forbidden for a WATCH without sendInitialEvents");
  } else if (hasWatchList && isUnset(options.resourceVersion) && options.continue !== "") {
    // Both are filled in for such a WATCH before they are checked.
    return refused(422, "resourceVersionMatch, which is the default here, is forbidden with continue");
  }
  // Not found before the watch is to be opened, and not taken for a fault of the client then.
  return isVersion(options.resourceVersion) ? null : refused(500, "resourceVersion is not a number");
}

function refusalOfDecoding(options: ListOptions, minor: number): Refusal | null {
  if (!options.isDecodable) return refused(400, "limit or timeoutSeconds is not an integer");
  if (parseFieldSelector(options.fieldSelector) === null)
    return refused(400, "the field selector is malformed");
  if (!isLabelSelector(options.labelSelector, minor)) return refused(400, "the label selector is malformed");
  return null;
}

const isUnset = (resourceVersion: string) => resourceVersion === "" || resourceVersion === "0";

const isVersion = (text: string) => text === "" || /^\d{1,20}$/.test(text);

const refused = (status: number, message: string): Refusal => ({ status, message, retryAfterSeconds: null });

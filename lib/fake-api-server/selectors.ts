import { type Collection, labelsOf } from "./collection.ts";
import { badRequest } from "./status.ts";

/** Tells whether the object at an index is selected. */
export type Selects = (collection: Collection, index: number, at: number) => boolean;

/**
 * Field and label selectors of a list. Equality terms only for fields; labels also take `in`, `notin`, presence and
 * absence. `null` where neither is given.
 * @throws StatusError 400 for a field that the resource does not index or a term that does not parse.
 */
export function parseSelectors(fieldSelector: string, labelSelector: string): Selects | null {
  const fields = splitTerms(fieldSelector).map(parseFieldTerm);
  const labels = splitTerms(labelSelector).map(parseLabelTerm);
  if (fields.length === 0 && labels.length === 0) return null;
  return (collection, index, at) => {
    for (const { field, value, isEqual } of fields) {
      if ((fieldValue(collection, index, field, at) === value) !== isEqual) return false;
    }
    if (labels.length === 0) return true;
    const have = labelsOf(collection, index, at);
    return labels.every((matches) => matches(have));
  };
}

function fieldValue(collection: Collection, index: number, field: string, at: number): string {
  const key = collection.keyAt(index, at);
  if (field === "metadata.name") return key.name;
  if (field === "metadata.namespace") return key.namespace;
  const value = collection.fieldAt?.(index, field, at);
  if (value === undefined) throw badRequest(`field label not supported: ${field}`);
  return value;
}

/** Commas separate terms, except inside the parentheses of a set. */
function splitTerms(selector: string): string[] {
  return selector
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== "");
}

function parseFieldTerm(term: string) {
  const match = /^([^=!]+?)(!=|==|=)(.*)$/.exec(term);
  if (!match) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, field = "", operator = "=", value = ""] = match;
  return { field, value, isEqual: operator !== "!=" };
}

type LabelMatch = (labels: Readonly<Record<string, string>>) => boolean;

function parseLabelTerm(term: string): LabelMatch {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term);
  if (set) {
    const [, key = "", operator, list = ""] = set;
    const values = list.split(",").map((value) => value.trim());
    return (labels) => values.includes(labels[key] ?? "\u0000") === (operator === "in");
  }
  const equality = /^([^=!\s]+)\s*(!=|==|=)\s*(\S*)$/.exec(term);
  if (equality) {
    const [, key = "", operator, value = ""] = equality;
    return (labels) => (labels[key] === value) !== (operator === "!=");
  }
  const presence = /^(!?)([\w./-]+)$/.exec(term);
  if (presence) {
    const [, not, key = ""] = presence;
    return (labels) => key in labels !== (not === "!");
  }
  throw badRequest(`unable to parse requirement: ${term}`);
}

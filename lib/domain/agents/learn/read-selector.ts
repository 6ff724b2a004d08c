import { parseFieldSelector } from "../../kubernetes/field-selector.ts";

/** A field selector with what differs from copy to copy taken out. */
export interface FieldSelectorShape {
  /** As sent, the required node or name replaced by `$(NODE)` or `$(NAME)`; `null`: none. */
  readonly template: string | null;
  /** What took the place: the node of `spec.nodeName`, or else the name of `metadata.name`; `null`: neither is required. */
  readonly value: string | null;
  readonly field: "spec.nodeName" | "metadata.name" | null;
}

/** Stands for a value in a template until it is known what the values were. */
export const NAME_PLACE = "$(NAME)";
const NO_SELECTOR: FieldSelectorShape = { template: null, value: null, field: null };

/** Text of a selector that does not parse: the API server refuses it. */
const MALFORMED = "(malformed)";

/** Selectors are mostly few, over and over: each is taken apart once, as long as it is remembered. */
export class FieldSelectorShapes {
  readonly #known = new Map<string, FieldSelectorShape>();

  of(selector: string): FieldSelectorShape {
    if (selector === "") return NO_SELECTOR;
    const known = this.#known.get(selector);
    if (known !== undefined) return known;
    if (selector.length > MAX_CHARACTERS) return LONG;
    const shape = shapeOf(selector);
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(selector, shape);
    return shape;
  }
}

const REMEMBERED = 8192;
/** Longer ones are no setting of a client. */
const MAX_CHARACTERS = 2048;
const LONG: FieldSelectorShape = { template: "(longer than is looked at)", value: null, field: null };

function shapeOf(selector: string): FieldSelectorShape {
  const terms = parseFieldSelector(selector);
  if (terms === null) return { template: MALFORMED, value: null, field: null };
  if (terms.length === 0) return NO_SELECTOR;
  const place =
    terms.find(({ field, operator }) => field === "spec.nodeName" && operator === "=") ??
    terms.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  // An empty node selects what is not scheduled yet: no node's own.
  const own = place === undefined || place.value === "" ? null : place;
  const template = terms
    .map((term) => `${term.field}${term.operator}${term === own ? NAME_PLACE : term.value}`)
    .join(",");
  return {
    template,
    value: own?.value ?? null,
    field: own === null ? null : (own.field as "spec.nodeName" | "metadata.name"),
  };
}

/** A selector with all its values taken out, for clients that send others each time: `app=$(VALUE),tier in $(VALUE)`. */
export function withoutValues(selector: string): string {
  return selector
    .replace(/\b(in|notin)\s*\([^()]*\)/g, "$1 $(VALUE)")
    .replace(/(!?==?)(?!\$\()[^,]*/g, "$1$(VALUE)");
}

import { z } from "zod";
import { parseVersion } from "../domain/kubernetes/version.ts";

/** Fields of what people write by hand: lines of questions, cluster facts, flow control objects. */

// Each schema's message is what was expected, to follow that word.
export const text = () => z.string({ error: "a text" });
export const flag = () => z.boolean({ error: "true or false" });
export const count = () => wholeNumber(0);
/** Larger ones are no whole numbers any more where they are held. */
export const wholeNumber = (least: number, most: number = Number.MAX_SAFE_INTEGER) => {
  const error = ({ input }: { readonly input?: unknown }) =>
    typeof input === "number" && input > most
      ? `a whole number of at most ${most}`
      : `a whole number of at least ${least}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
};

/** `null` and an absent field mean the same: the default. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

export const versionText = () =>
  z.string({ error: VERSION }).refine((value) => parseVersion(value) !== null, { error: VERSION });
const VERSION = "a Kubernetes version as text, such as 1.34.2";

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `one of ${values.join(", ")}` });

export const list = <Schema extends z.ZodType>(schema: Schema, what = "a list") =>
  z.array(schema, { error: what });

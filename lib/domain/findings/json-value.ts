/** A value as JSON or YAML gives it. Objects hold no prototype's keys of interest: read them through these functions. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value at a path of keys and indices; `undefined` where something on the way is missing. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[key];
  }
  return at;
}

/** The text at a path; `null` where there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : null;
}

/** The finite number at a path; `null` where there is none. */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = valueAt(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

/** The list at a path; empty where there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The texts of the list at a path; what is no text is left out. */
export function textsAt(value: unknown, ...path: readonly (string | number)[]): readonly string[] {
  return listAt(value, ...path).filter((each) => typeof each === "string");
}

/** The object at a path; `null` where there is none. */
export function objectAt(value: unknown, ...path: readonly (string | number)[]): JsonObject | null {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : null;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One field in which two specs differ. */
export interface FieldChange {
  /** In the names of `flowcontrol.apiserver.k8s.io/v1`, e.g. `spec.rules[0].subjects[1].group.name`. */
  readonly path: string;
  /** `null`: the field is not set there. */
  readonly defaultValue: unknown;
  readonly clusterValue: unknown;
}

/**
 * The fields in which two JSON values differ, in order of their paths' first mention. What means the same is equal: a
 * field that is absent, `null`, `false` or empty; a list of words in another order. Lists of objects are compared
 * entry by entry.
 */
export function diffSpec(path: string, defaultValue: unknown, clusterValue: unknown): FieldChange[] {
  const from = meaningOf(defaultValue);
  const to = meaningOf(clusterValue);
  if (isList(from) && isList(to)) {
    if (areWords(from) && areWords(to)) {
      return sameWords(from, to) ? [] : [{ path, defaultValue: from, clusterValue: to }];
    }
    return Array.from({ length: Math.max(from.length, to.length) }, (_, i) =>
      diffSpec(`${path}[${i}]`, from[i], to[i]),
    ).flat();
  }
  if (isRecord(from) && isRecord(to)) {
    const fields = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...fields].flatMap((field) => diffSpec(`${path}.${field}`, from[field], to[field]));
  }
  return Object.is(from, to) ? [] : [{ path, defaultValue: from, clusterValue: to }];
}

/** `null` for every way to say nothing. */
function meaningOf(value: unknown): unknown {
  if (value === undefined || value === null || value === false) return null;
  if (isList(value)) return value.length === 0 ? null : value;
  if (isRecord(value)) {
    return Object.values(value).every((part) => meaningOf(part) === null) ? null : value;
  }
  return value;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const areWords = (list: readonly unknown[]): list is readonly string[] =>
  list.every((item) => typeof item === "string");

const sameWords = (a: readonly string[], b: readonly string[]) =>
  a.toSorted().join("\0") === b.toSorted().join("\0");

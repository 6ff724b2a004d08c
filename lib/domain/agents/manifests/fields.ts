/** What is wrong at one place of one object. */
export interface ManifestProblem {
  /** `DaemonSet observability/node-telemetry`, or `object 3` where it has no name. */
  readonly subject: string;
  /** `spec.template.spec.containers[0].image`. */
  readonly path: string;
  readonly expected: string;
}

type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads fields of a parsed object. A field that is absent or null is `null` or empty; one of another type counts as
 * absent and is reported once, with its path.
 */
export class Fields {
  readonly #value: JsonObject;
  readonly #path: string;
  readonly #report: (path: string, expected: string) => void;

  constructor(value: JsonObject, report: (path: string, expected: string) => void, path = "") {
    this.#value = value;
    this.#report = report;
    this.#path = path;
  }

  text(name: string): string | null {
    return this.#typed(name, "text", (value) => (typeof value === "string" ? value : undefined));
  }

  /** An integer of 0 or more. */
  count(name: string): number | null {
    return this.#typed(name, "a whole number of 0 or more", (value) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined,
    );
  }

  object(name: string): Fields | null {
    const value = this.#typed(name, "an object", (each) => (isJsonObject(each) ? each : undefined));
    return value === null ? null : new Fields(value, this.#report, this.#pathOf(name));
  }

  objects(name: string): Fields[] {
    return this.#list(name).flatMap((value, at) => {
      const path = `${this.#pathOf(name)}[${at}]`;
      if (isJsonObject(value)) return [new Fields(value, this.#report, path)];
      this.#report(path, "an object");
      return [];
    });
  }

  texts(name: string): string[] {
    return this.#list(name).flatMap((value, at) => {
      if (typeof value === "string") return [value];
      this.#report(`${this.#pathOf(name)}[${at}]`, "text");
      return [];
    });
  }

  /** Text by key; entries that are no text are reported and left out. */
  textMap(name: string): Readonly<Record<string, string>> {
    const value = this.#typed(name, "an object", (each) => (isJsonObject(each) ? each : undefined));
    const entries = Object.entries(value ?? {}).filter(([key, each]) => {
      if (typeof each !== "string") this.#report(`${this.#pathOf(name)}.${key}`, "text");
      return typeof each === "string";
    });
    return Object.fromEntries(entries) as Record<string, string>;
  }

  has(name: string): boolean {
    return this.#raw(name) !== null;
  }

  #raw(name: string): unknown {
    return Object.hasOwn(this.#value, name) ? (this.#value[name] ?? null) : null;
  }

  #list(name: string): readonly unknown[] {
    return (
      this.#typed(name, "a list", (value) => (Array.isArray(value) ? (value as unknown[]) : undefined)) ?? []
    );
  }

  #typed<T>(name: string, expected: string, read: (value: unknown) => T | undefined): T | null {
    const raw = this.#raw(name);
    if (raw === null) return null;
    const value = read(raw);
    if (value === undefined) this.#report(this.#pathOf(name), expected);
    return value ?? null;
  }

  #pathOf(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }
}

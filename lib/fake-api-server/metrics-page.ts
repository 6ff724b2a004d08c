type LabelValues = Readonly<Record<string, string>>;

/** Writes Prometheus text: families sorted by name, labels sorted, numbers as Go prints them. */
export class MetricsPage {
  readonly #families = new Map<string, string[]>();

  family(name: string, kind: "counter" | "gauge" | "histogram", stability: string, help: string): Family {
    const lines = [`# HELP ${name} [${stability}] ${help}`, `# TYPE ${name} ${kind}`];
    this.#families.set(name, lines);
    return new Family(name, lines);
  }

  /** Text before and from the first family whose name is not below `name`. */
  splitAt(name: string): [before: string, after: string] {
    const names = [...this.#families.keys()].sort();
    const write = (some: readonly string[]) =>
      some.map((family) => `${this.#families.get(family)?.join("\n")}\n`).join("");
    const cut = names.findIndex((family) => family >= name);
    return cut < 0 ? [write(names), ""] : [write(names.slice(0, cut)), write(names.slice(cut))];
  }

  text(): string {
    return this.splitAt("").join("");
  }
}

export class Family {
  readonly #name: string;
  readonly #lines: string[];

  constructor(name: string, lines: string[]) {
    this.#name = name;
    this.#lines = lines;
  }

  add(labels: LabelValues, value: number): this {
    this.#lines.push(`${this.#name}${labelText(labels)} ${goFloat(value)}`);
    return this;
  }

  /** `counts` are per bucket, not cumulative, with one more for what lies above the last bound. */
  addHistogram(labels: LabelValues, bounds: readonly number[], counts: readonly number[], sum: number): this {
    // Labels are written once for all buckets: most of a page is buckets.
    const own = labelText(labels);
    const open = own === "" ? "{" : `${own.slice(0, -1)},`;
    let cumulative = 0;
    for (const [index, bound] of [...bounds, Number.POSITIVE_INFINITY].entries()) {
      cumulative += counts[index] ?? 0;
      // The bucket bound comes last, as client libraries write it.
      this.#lines.push(`${this.#name}_bucket${open}le="${goFloat(bound)}"} ${goFloat(cumulative)}`);
    }
    this.#lines.push(`${this.#name}_sum${own} ${goFloat(sum)}`);
    this.#lines.push(`${this.#name}_count${own} ${goFloat(cumulative)}`);
    return this;
  }
}

/** Labels by name in braces; nothing where there are none. */
function labelText(labels: LabelValues): string {
  const names = Object.keys(labels).sort();
  if (names.length === 0) return "";
  return `{${names.map((name) => `${name}="${escapeLabel(labels[name] ?? "")}"`).join(",")}}`;
}

const escapeLabel = (value: string) =>
  /[\\"\n]/.test(value) ? value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n") : value;

/** The shortest form that Go's %g prints: an exponent of at least two digits below 1e-4 and from 1e6 on. */
export function goFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  const [mantissa = "0", exponent = "+0"] = value.toExponential().split("e");
  const digits = exponent.slice(1).padStart(2, "0");
  return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${digits}`;
}

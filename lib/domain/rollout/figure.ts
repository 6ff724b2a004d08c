/** A number for people, with where it comes from. */
export interface PlanFigure {
  readonly name: string;
  readonly value: number;
  readonly unit: "nodes" | "pods" | "pods/min" | "pods/s" | "s" | "calls" | "waves";
  /** `rule`: exact. `assumed`: from durations that nobody measured. `simulated`: from a run over those. `estimate`: rough. */
  readonly kind: "rule" | "assumed" | "simulated" | "estimate";
  readonly reason: string;
}

/** Digits grouped as people read them: `5,000`; at most one decimal. */
export function formatNumber(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  const [whole = "", decimals] = String(Math.abs(rounded)).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${rounded < 0 ? "−" : ""}${grouped}${decimals === undefined ? "" : `.${decimals}`}`;
}

/** `1 pod`, `3 pods`. */
export function formatCounted(count: number, one: string, many: string = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

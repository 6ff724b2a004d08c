import { isJsonObject, listAt, textAt } from "../../json-value.ts";
import type { ScanFacts } from "../../scan-facts.ts";

/** How long whoever deploys waits. */
export interface DeployTimeout {
  readonly seconds: number;
  /** For people. */
  readonly source: string;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 0.001 };

/** The shortest that the input tells: given by hand, measured, or of a Flux HelmRelease or Kustomization; `null`: none. */
export function deployTimeoutOf(facts: ScanFacts): DeployTimeout | null {
  const { hand, measurements, objects } = facts;
  const found: DeployTimeout[] = [];
  if (hand.deployTimeoutSeconds !== null)
    found.push({ seconds: hand.deployTimeoutSeconds, source: "cluster facts" });
  found.push(...timeoutsIn(hand.others, "cluster facts"));
  for (const { value, name } of measurements) found.push(...timeoutsIn(value, name));
  for (const kind of ["HelmRelease", "Kustomization"]) {
    for (const { body, name, apiGroup } of objects.ofKind(kind)) {
      if (!apiGroup.endsWith("toolkit.fluxcd.io")) continue;
      const text = textAt(body, "spec", "upgrade", "timeout") ?? textAt(body, "spec", "timeout");
      const seconds = text === null ? null : parseGoDuration(text);
      if (seconds !== null) found.push({ seconds, source: `${kind} ${name}` });
    }
  }
  return found.sort((a, b) => a.seconds - b.seconds)[0] ?? null;
}

const TIMEOUT_FIELD =
  /^(?:deploy|rollout|helm|upgrade|install|wait|pipeline|job|step)[-_]?(?:ment)?[-_]?timeout(?:[-_]?(seconds|minutes|s|m))?$/i;

/** Fields such as `deployTimeoutSeconds`, `helm_timeout_minutes`, `rolloutTimeout: 10m`, at any depth of a few. */
function timeoutsIn(value: unknown, source: string, depth = 0): readonly DeployTimeout[] {
  if (depth > 3) return [];
  if (Array.isArray(value))
    return listAt({ value }, "value").flatMap((each) => timeoutsIn(each, source, depth + 1));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([field, each]) => {
    const match = TIMEOUT_FIELD.exec(field);
    if (match === null) return timeoutsIn(each, source, depth + 1);
    const unit = match[1]?.toLowerCase().startsWith("m") === true ? 60 : 1;
    const seconds =
      typeof each === "number" ? each * unit : typeof each === "string" ? parseGoDuration(each) : null;
    return seconds === null || seconds <= 0 ? [] : [{ seconds, source: `${source} ${field}` }];
  });
}

/** `5m0s`, `1h30m`; `null` for what is none. */
export function parseGoDuration(text: string): number | null {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text)) return null;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
    seconds += Number(amount) * (UNIT_SECONDS[unit ?? ""] ?? 0);
  }
  return seconds;
}

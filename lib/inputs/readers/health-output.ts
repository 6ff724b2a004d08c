import type { HealthOutput } from "../../domain/findings/index.ts";
import { plainName } from "../recognise.ts";

const CHECK = /^\[([+-])\](\S+) (.*)$/;
const LAST = /^(livez|readyz|healthz) check (passed|failed)/;

/** `?verbose` output of a health endpoint; lines that are none of its form are passed over. */
export function readHealthOutput(name: string, text: string): HealthOutput {
  const lines = text.split(/\r?\n/);
  const last = lines.map((line) => LAST.exec(line)).find((match) => match !== null);
  const byName = /^(livez|readyz|healthz)/.exec(plainName(name))?.[1];
  return {
    file: name,
    endpoint: asEndpoint(last?.[1] ?? byName),
    isPassed: last === undefined ? null : last?.[2] === "passed",
    checks: lines.flatMap((line) => {
      const match = CHECK.exec(line);
      return match === null ? [] : [{ name: match[2] ?? "", isOk: match[1] === "+", text: match[3] ?? "" }];
    }),
  };
}

function asEndpoint(text: string | undefined): HealthOutput["endpoint"] {
  return text === "livez" || text === "readyz" || text === "healthz" ? text : null;
}

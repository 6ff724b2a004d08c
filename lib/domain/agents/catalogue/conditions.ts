import type { AgentContainer } from "../agent-workload.ts";
import type { CatalogueCondition } from "./catalogue-entry.ts";

/** Whether a condition holds; `null`: nothing tells. */
export function decideCondition(condition: CatalogueCondition, container: AgentContainer): boolean | null {
  const found = findCondition(condition, container);
  return found === null ? null : found !== (condition.absent ?? false);
}

/** For people: `--node-name is given`, `NODE_NAME is not set`. */
export function describeCondition({ argument, variable, config, value, absent }: CatalogueCondition): string {
  const matching = value === undefined ? "" : ` as ${value}`;
  if (argument !== undefined)
    return `--${withoutDashes(argument)} is ${absent ? "not " : ""}given${matching}`;
  if (variable !== undefined) return `${variable} is ${absent ? "not " : ""}set${matching}`;
  return `the configuration ${absent ? "does not match" : "matches"} ${config ?? ""}`;
}

function findCondition(condition: CatalogueCondition, container: AgentContainer): boolean | null {
  const { argument, variable, config, value } = condition;
  if (argument !== undefined) return findArgument(argument, value, container.words);
  if (variable !== undefined) return findVariable(variable, value, container);
  return findConfig(config ?? "", container);
}

function findArgument(
  name: string,
  value: string | undefined,
  words: readonly string[] | null,
): boolean | null {
  if (words === null) return null;
  const wanted = withoutDashes(name);
  // A shell's text holds its flags in one word.
  const flat = words.flatMap((word) => (/\s/.test(word) ? word.split(/\s+/) : [word]));
  for (const [at, word] of flat.entries()) {
    if (!word.startsWith("-")) continue;
    const flag = withoutDashes(word);
    const equals = flag.indexOf("=");
    if ((equals < 0 ? flag : flag.slice(0, equals)) !== wanted) continue;
    if (value === undefined) return true;
    const next = flat[at + 1] ?? "";
    const given = equals >= 0 ? flag.slice(equals + 1) : next.startsWith("-") ? "true" : next;
    if (matchesWhole(value, given)) return true;
  }
  return false;
}

function findVariable(
  name: string,
  value: string | undefined,
  { variables }: AgentContainer,
): boolean | null {
  if (variables === null) return null;
  const variable = variables.findLast((each) => each.name === name);
  if (variable === undefined) return false;
  if (value === undefined) return true;
  return variable.value === null ? null : matchesWhole(value, variable.value);
}

function findConfig(
  pattern: string,
  { words, variables, configTexts, isConfigKnown }: AgentContainer,
): boolean | null {
  const expression = new RegExp(pattern, "im");
  const texts = [...configTexts, ...(words ?? []), ...(variables ?? []).map(({ value }) => value ?? "")];
  if (texts.some((text) => expression.test(text))) return true;
  return isConfigKnown ? false : null;
}

const matchesWhole = (pattern: string, text: string) => new RegExp(`^(?:${pattern})$`, "i").test(text.trim());

const withoutDashes = (flag: string) => flag.replace(/^--?/, "");

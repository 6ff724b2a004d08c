import { isNode, LineCounter, parseDocument } from "yaml";
import type { InputProblem } from "./input-problem.ts";

type Position = Pick<InputProblem, "line" | "column">;

/** Where values stand in a text of one document, YAML or JSON: that of the nearest value above, where one is not there. */
export function positionsIn(text: string): (path: readonly PropertyKey[]) => Position {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "silent" });
  return (path) => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const step of path) {
      node = isNode(node) && "get" in node && typeof node.get === "function" ? node.get(step, true) : null;
      if (!isNode(node) || !node.range) break;
      offset = node.range[0];
    }
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
}

/** `collections[0].name`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === "number" ? `${text}[${step}]` : text === "" ? String(step) : `${text}.${String(step)}`,
    "",
  );
}

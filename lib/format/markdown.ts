/** Rows that a copied table shows before it says how many more there are. */
export const MARKDOWN_ROWS = 20;

/**
 * A Markdown table of at most `MARKDOWN_ROWS` rows, then `and 37 more`. Pipes and line breaks inside a cell are
 * escaped. Empty where there are no rows.
 */
export function toMarkdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const shown = rows.slice(0, MARKDOWN_ROWS);
  const lines = [line(heads), line(heads.map(() => "---")), ...shown.map(line)];
  if (rows.length > shown.length) lines.push("", `and ${rows.length - shown.length} more`);
  return lines.join("\n");
}

/** Blocks separated by one empty line; empty blocks are left out. */
export function joinBlocks(blocks: readonly (string | null)[]): string {
  return `${blocks.filter((block) => block !== null && block !== "").join("\n\n")}\n`;
}

const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(" | ")} |`;

const escapeCell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s*\r?\n\s*/g, " ");

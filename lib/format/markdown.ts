/** Rows that a copied table shows before it says how many more there are. */
export const MARKDOWN_ROWS = 20;

/**
 * A Markdown table of at most `MARKDOWN_ROWS` rows, then `and 37 more`. Cells are taken as plain text. Empty where there are no rows.
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

/**
 * Text as itself: names come from clusters, and what is copied is pasted into tickets. What would begin a link, an image,
 * HTML, code, emphasis or another cell is escaped; line breaks and other control characters become one blank, and those
 * that turn the direction of writing go.
 */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, "")
    .replace(/\s*[\p{Cc}\u2028\u2029]\s*/gu, " ")
    .replace(/[\\`*<[\]|]/g, "\\$&");
}

const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(" | ")} |`;

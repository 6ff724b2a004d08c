import { describe, expect, test } from "vitest";
import { toCsv } from "./csv.ts";
import { escapeMarkdown, joinBlocks, toMarkdownTable } from "./markdown.ts";

describe("CSV", () => {
  const columns = [
    { head: "name", value: (row: { name: string; n: number | null }) => row.name },
    { head: "n", value: (row: { name: string; n: number | null }) => row.n },
  ];

  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])("%j is not left to run as a formula", (name) => {
    const [, line = ""] = toCsv(columns, [{ name, n: -4 }]).split("\r\n");
    expect(line.replace(/^"/, "").startsWith("'")).toBe(true);
    expect(line.endsWith(",-4")).toBe(true);
  });

  test("commas, quotes and line breaks are quoted; unknown is empty and not zero", () => {
    expect(toCsv(columns, [{ name: 'a,"b"\nc', n: null }])).toBe('name,n\r\n"a,""b""\nc",\r\n');
  });
});

describe("Markdown", () => {
  test.each([
    ["a\\|b", "a\\\\\\|b"],
    ["![x](http://evil.example/?a)", "!\\[x\\](http://evil.example/?a)"],
    ["<img src=x>", "\\<img src=x>"],
    ["`code` *all*", "\\`code\\` \\*all\\*"],
    ["one\rtwo\u2028three\n\nfour", "one two three four"],
    ["\u202edrawkcab\u202c", "drawkcab"],
    ["kube-system/kube_proxy: 3 > 2", "kube-system/kube_proxy: 3 > 2"],
  ])("%j is written so that it reads as itself", (text, expected) => {
    expect(escapeMarkdown(text)).toBe(expected);
  });

  test("a table stops at 20 rows and says how many more there are", () => {
    const text = toMarkdownTable(
      ["n"],
      Array.from({ length: 57 }, (_, index) => [String(index)]),
    );
    expect(text.split("\n").filter((line) => line.startsWith("|"))).toHaveLength(22);
    expect(text.endsWith("and 37 more")).toBe(true);
  });

  test("pipes and line breaks cannot break a row", () => {
    expect(toMarkdownTable(["a"], [["x | y\nz"]])).toBe("| a |\n| --- |\n| x \\| y z |");
  });

  test("an empty table and an absent block leave nothing behind", () => {
    expect(joinBlocks(["# a", null, toMarkdownTable(["a"], []), "b"])).toBe("# a\n\nb\n");
  });
});

// @vitest-environment jsdom
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useMemo, useState } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { setPreference } from "@/components/preferences/preferences";
import { renderPage } from "@/components/test-support/render-page";
import { RowLink } from "@/components/ui/row-link";
import type { Column } from "./column";
import { DataTable } from "./data-table";
import { parseSort, writeSort } from "./sort-text";

interface Row {
  readonly name: string;
  readonly nodes: number | null;
  readonly version?: string;
}

const columns: readonly Column<Row>[] = [
  {
    id: "name",
    label: "Name",
    cell: ({ name }) => <RowLink href={`/clusters/${name}`}>{name}</RowLink>,
    sort: ({ name }) => name,
  },
  {
    id: "nodes",
    label: "Nodes",
    cell: ({ nodes }) => nodes,
    sort: ({ nodes }) => nodes,
    firstDirection: "descending",
  },
  { id: "version", label: "Version", cell: () => null, sort: ({ version }) => version ?? null },
  { id: "age", label: "Age", cell: () => null },
];
const rows: readonly Row[] = [
  { name: "a", nodes: 1 },
  { name: "b", nodes: 3 },
  { name: "c", nodes: 2 },
];

function Table({
  all = rows,
  sortText = "",
  onLetter,
}: {
  all?: readonly Row[];
  /** The order at the start, as the URL would say it. */
  sortText?: string;
  onLetter?: (letter: string, row: Row) => boolean;
}) {
  const [text, setText] = useState(sortText);
  const sort = useMemo(() => parseSort(text, columns), [text]);
  return (
    <>
      <output>{text}</output>
      <DataTable
        caption="Clusters"
        columns={columns}
        rows={all}
        rowKey={({ name }) => name}
        rowHref={({ name }) => `/clusters/${name}`}
        sort={sort}
        onSort={(next) => setText(writeSort(next))}
        {...(onLetter === undefined ? {} : { onLetter })}
      />
    </>
  );
}

const focusedRow = () => document.activeElement?.getAttribute("data-key");
const bodyText = () =>
  within(screen.getByRole("table"))
    .getAllByRole("link")
    .map((link) => link.textContent)
    .join("");

afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

describe("one tab stop", () => {
  test("Tab reaches one row and leaves the table with the next press; links inside are no stops", async () => {
    const user = userEvent.setup();
    renderPage(
      <>
        <Table />
        <button type="button">after</button>
      </>,
    );
    await user.tab();
    expect(focusedRow()).toBe("a");
    await user.tab();
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "after" }));
  });

  test("j, k, arrows, Home and End move over the rows and stop at the ends", async () => {
    const user = userEvent.setup();
    renderPage(<Table />);
    await user.tab();
    await user.keyboard("j");
    expect(focusedRow()).toBe("b");
    await user.keyboard("{End}{ArrowDown}");
    expect(focusedRow()).toBe("c");
    await user.keyboard("k{ArrowUp}");
    expect(focusedRow()).toBe("a");
    await user.keyboard("{End}{Home}");
    expect(focusedRow()).toBe("a");
  });

  test("up from the first row goes to the heads, right along them, down back to the rows", async () => {
    const user = userEvent.setup();
    renderPage(<Table />);
    await user.tab();
    await user.keyboard("{ArrowUp}{ArrowRight}");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Nodes" }));
    await user.keyboard("{ArrowDown}");
    expect(focusedRow()).toBe("a");
  });

  test("right goes into the row to its link, left back to the row", async () => {
    const user = userEvent.setup();
    renderPage(<Table />);
    await user.tab();
    await user.keyboard("{ArrowRight}");
    expect(document.activeElement).toBe(screen.getByRole("link", { name: "a" }));
    await user.keyboard("{ArrowLeft}");
    expect(focusedRow()).toBe("a");
  });

  test("with single-letter keys off j does nothing and arrows still move", async () => {
    const user = userEvent.setup();
    renderPage(<Table />);
    setPreference("hasLetterKeys", false);
    await user.tab();
    await user.keyboard("j");
    expect(focusedRow()).toBe("a");
    await user.keyboard("{ArrowDown}");
    expect(focusedRow()).toBe("b");
  });
});

describe("opening", () => {
  test("a shape inside a link of a row is that link, not the row", async () => {
    const user = userEvent.setup();
    const { pushed } = renderPage(
      <DataTable
        caption="Clusters"
        columns={[
          {
            id: "risk",
            label: "Risk",
            cell: () => (
              <a href="#risk">
                <svg aria-hidden="true">
                  <path data-testid="shape" d="M0 0" />
                </svg>
                risk
              </a>
            ),
          },
        ]}
        rows={rows.slice(0, 1)}
        rowKey={({ name }) => name}
        rowHref={({ name }) => `/clusters/${name}`}
      />,
    );
    await user.click(screen.getByTestId("shape"));
    expect(pushed).toEqual([]);
  });

  test("Enter opens the row, Ctrl Enter in a new tab", async () => {
    const user = userEvent.setup();
    const open = vi.fn();
    vi.stubGlobal("open", open);
    const { pushed } = renderPage(<Table />);
    await user.tab();
    await user.keyboard("j{Enter}");
    expect(pushed).toEqual(["/clusters/b"]);
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(open).toHaveBeenCalledWith("/clusters/b", "_blank", "noopener");
  });

  test("a letter on a row reaches what the table was given", async () => {
    const user = userEvent.setup();
    const heard: string[] = [];
    renderPage(
      <Table
        onLetter={(letter, { name }) => {
          heard.push(letter + name);
          return true;
        }}
      />,
    );
    await user.tab();
    await user.keyboard("a");
    expect(heard).toEqual(["aa"]);
  });
});

const versions: readonly Row[] = [
  { name: "a", nodes: 3, version: "1.9.1" },
  { name: "b", nodes: null, version: "1.34.2" },
  { name: "c", nodes: 10, version: "1.34.10" },
  { name: "d", nodes: 3, version: "1.34.2" },
];

describe("sorting", () => {
  test.each([
    ["nodes", "adcb"],
    ["-nodes", "cadb"],
    ["version", "abdc"],
    ["-version", "cbda"],
    ["", "abcd"],
    ["-name", "dcba"],
    ["-gone", "abcd"],
    ["age", "abcd"],
  ])("?sort=%s gives %s", (sortText, expected) => {
    renderPage(<Table all={versions} sortText={sortText} />);
    expect(bodyText()).toBe(expected);
  });

  test("negative figures are ordered by size, not by their digits", () => {
    const debts = [-20, -3, 4].map((nodes) => ({ name: `n${nodes}`, nodes }));
    renderPage(<Table all={debts} sortText="nodes" />);
    expect(bodyText()).toBe("n-20n-3n4");
  });

  test("unknown comes last in either direction, wherever it stood", () => {
    const unknownFirst = [...versions].sort((a, b) => Number(b.nodes === null) - Number(a.nodes === null));
    for (const sortText of ["nodes", "-nodes"]) {
      renderPage(<Table all={unknownFirst} sortText={sortText} />);
      expect(bodyText().at(-1)).toBe("b");
      cleanup();
    }
  });

  test("pressing another column starts with what that one prefers; one column alone sorts", async () => {
    const user = userEvent.setup();
    renderPage(<Table sortText="-nodes" />);
    await user.keyboard("{Shift>}");
    await user.click(screen.getByRole("button", { name: "Version" }));
    expect(screen.getByRole("status").textContent).toBe("version");
  });

  test("a column without a value to sort by has no button", () => {
    renderPage(<Table />);
    expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
      "Name",
      "Nodes",
      "Version",
    ]);
  });
});

test("a press on a head sorts, says so, turns round, and returns to the default order", async () => {
  const user = userEvent.setup();
  renderPage(<Table />);
  const button = screen.getByRole("button", { name: "Nodes" });
  const head = screen.getByRole("columnheader", { name: "Nodes" });
  await user.click(button);
  expect(screen.getByRole("status").textContent).toBe("-nodes");
  expect(bodyText()).toBe("bca");
  expect(head.getAttribute("aria-sort")).toBe("descending");
  await user.click(button);
  expect(bodyText()).toBe("acb");
  expect(head.getAttribute("aria-sort")).toBe("ascending");
  await user.click(button);
  expect(screen.getByRole("status").textContent).toBe("");
  expect(bodyText()).toBe("abc");
  expect(head.hasAttribute("aria-sort")).toBe(false);
});

test("1,000 rows are counted for a screen reader and only some are drawn", () => {
  const many = Array.from({ length: 1000 }, (_, nodes) => ({ name: `c${nodes}`, nodes }));
  renderPage(<Table all={many} />);
  const table = screen.getByRole("table");
  expect(table.getAttribute("aria-rowcount")).toBe("1001");
  const drawn = within(table).getAllByRole("link");
  expect(drawn.length).toBeGreaterThan(10);
  expect(drawn.length).toBeLessThan(200);
});

/** Draws the same rows from new objects on every press. */
function Renewed() {
  const [count, setCount] = useState(0);
  return (
    <>
      <DataTable
        caption="Clusters"
        columns={columns.map((column) => ({ ...column }))}
        rows={rows.map((row) => ({ ...row, nodes: count }))}
        rowKey={({ name }) => name}
        onLetter={() => {
          setCount(count + 1);
          return true;
        }}
      />
      <output>{count}</output>
    </>
  );
}

test("new columns and new rows leave the focus on the link it is on", async () => {
  const user = userEvent.setup();
  renderPage(<Renewed />);
  await user.tab();
  await user.keyboard("{ArrowRight}");
  const link = document.activeElement;
  await user.keyboard("r");
  expect(screen.getByRole("status").textContent).toBe("1");
  expect(screen.getAllByRole("cell", { name: "1" })).toHaveLength(3);
  expect(document.activeElement).toBe(link);
});

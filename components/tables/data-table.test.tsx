// @vitest-environment jsdom
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { setPreference } from "@/components/preferences/preferences";
import { renderPage } from "@/components/test-support/render-page";
import { RowLink } from "@/components/ui/row-link";
import type { Column, Sort } from "./column";
import { DataTable } from "./data-table";
import { sortRows, writeSort } from "./sort";

interface Row {
  readonly name: string;
  readonly nodes: number;
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
];
const rows: readonly Row[] = [
  { name: "a", nodes: 1 },
  { name: "b", nodes: 3 },
  { name: "c", nodes: 2 },
];

function Table({
  all = rows,
  onLetter,
}: {
  all?: readonly Row[];
  onLetter?: (letter: string, row: Row) => boolean;
}) {
  const [sort, setSort] = useState<Sort | null>(null);
  return (
    <>
      <output>{writeSort(sort)}</output>
      <DataTable
        caption="Clusters"
        columns={columns}
        rows={sortRows(all, columns, sort)}
        rowKey={({ name }) => name}
        rowHref={({ name }) => `/clusters/${name}`}
        sort={sort}
        onSort={setSort}
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

test("a press on a head sorts, says so, turns round, and returns to the default order", async () => {
  const user = userEvent.setup();
  renderPage(<Table />);
  const button = screen.getByRole("button", { name: "Nodes" });
  const head = screen.getByRole("columnheader", { name: "Nodes" });
  await user.click(button);
  expect(bodyText()).toBe("bca");
  expect(head.getAttribute("aria-sort")).toBe("descending");
  await user.click(button);
  expect(bodyText()).toBe("acb");
  expect(head.getAttribute("aria-sort")).toBe("ascending");
  await user.click(button);
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

"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { clsx } from "clsx";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useRouter } from "next/navigation";
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Column, Sort } from "./column";
import { ScrollRegion } from "./scroll-region";
import { nextSort } from "./sort";
import { useRowKeys } from "./use-row-keys";

/** More rows than this are drawn only where they can be seen. */
export const VIRTUAL_FROM_ROWS = 200;

export interface DataTableProps<Row> {
  /** Names the table; not drawn. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Where Enter and a click on the row lead; the row's first text cell holds the same link. */
  readonly rowHref?: (row: Row) => string | null;
  /** Chooses a row in place of opening a page. */
  readonly onSelect?: (row: Row) => void;
  readonly selectedKey?: string | null;
  /** A letter pressed on a row; true when it meant something. */
  readonly onLetter?: (letter: string, row: Row) => boolean;
  readonly isStaleRow?: (row: Row) => boolean;
  readonly sort?: Sort | null;
  readonly onSort?: (sort: Sort | null) => void;
  readonly foot?: ReactNode;
  readonly isCompact?: boolean;
  readonly isStackable?: boolean;
  /** Draws the heads under the top bar while the rows scroll; only for a table that fits its width. */
  readonly hasStickyHead?: boolean;
  readonly isHeadHidden?: boolean;
  readonly onPointerInside?: (isInside: boolean) => void;
}

/** A dense table with one tab stop, sorting in the heads, and rows drawn as needed. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, rowKey, rowHref, onSelect, selectedKey, onLetter, isStaleRow } = props;
  const { sort = null, onSort, foot, isCompact = false, isStackable = false, hasStickyHead = false } = props;
  const router = useRouter();
  const isVirtual = rows.length > VIRTUAL_FROM_ROWS;
  const bodyRef = useRef<HTMLTableSectionElement>(null);
  const [bodyTop, setBodyTop] = useState(0);
  useLayoutEffect(() => {
    const body = bodyRef.current;
    if (body !== null && isVirtual) setBodyTop(body.getBoundingClientRect().top + window.scrollY);
  }, [isVirtual]);
  const rowHeight = isCompact ? 27 : 33;
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    enabled: isVirtual,
    estimateSize: () => rowHeight,
    // A row that is not laid out yet has no height; taking it for 0 would draw all of them.
    measureElement: (element) => element.getBoundingClientRect().height || rowHeight,
    overscan: 12,
    scrollMargin: bodyTop,
    initialRect: { width: 1440, height: 900 },
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
  });

  const keys = rows.map(rowKey);
  const byKey = (key: string) => rows[keys.indexOf(key)];
  const openRow = (row: Row, isNewTab: boolean) => {
    const href = rowHref?.(row) ?? null;
    if (href !== null && isNewTab) window.open(href, "_blank", "noopener");
    else if (href !== null) router.push(href);
    else onSelect?.(row);
  };
  const { activeKey, setActiveKey, onKeyDown } = useRowKeys({
    keys,
    onOpen: (key, isNewTab) => {
      const row = byKey(key);
      if (row !== undefined) openRow(row, isNewTab);
    },
    onLetter: (letter, key) => {
      const row = byKey(key);
      return row !== undefined && (onLetter?.(letter, row) ?? false);
    },
    reveal: (index) => virtualizer.scrollToIndex(index, { align: "auto" }),
  });
  const onRowClick = (event: MouseEvent, row: Row) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target?.closest("a, button, input, label, summary") || window.getSelection()?.isCollapsed === false)
      return;
    openRow(row, event.ctrlKey || event.metaKey);
  };

  const items = isVirtual ? virtualizer.getVirtualItems() : null;
  const shown =
    items === null
      ? rows.map((row, index) => ({ row, index }))
      : items.flatMap(({ index }) => {
          const row = rows[index];
          return row === undefined ? [] : [{ row, index }];
        });
  const before = items?.[0] === undefined ? 0 : items[0].start - bodyTop;
  const after = items === null ? 0 : virtualizer.getTotalSize() - ((items.at(-1)?.end ?? bodyTop) - bodyTop);
  return (
    <ScrollRegion label={caption} {...(hasStickyHead ? { className: "lg:overflow-visible" } : {})}>
      <table
        className={clsx(
          "table",
          isCompact && "compact",
          isStackable && "stackable",
          isVirtual && "sm:table-fixed",
        )}
        aria-rowcount={isVirtual ? rows.length + 1 : undefined}
        onKeyDown={onKeyDown as (event: KeyboardEvent<HTMLTableElement>) => void}
        onPointerEnter={() => props.onPointerInside?.(true)}
        onPointerLeave={() => props.onPointerInside?.(false)}
      >
        <caption className="sr-only">{caption}</caption>
        <thead className={clsx(props.isHeadHidden === true && "sr-only")}>
          <tr aria-rowindex={isVirtual ? 1 : undefined}>
            {columns.map((column) => (
              <HeadCell
                key={column.id}
                column={column}
                sort={sort}
                onSort={onSort}
                width={isVirtual ? column.width : undefined}
                isTabStop={rows.length === 0 && column.sort !== undefined}
                isSticky={hasStickyHead}
              />
            ))}
          </tr>
        </thead>
        <tbody ref={bodyRef}>
          {before > 0 && <Spacer height={before} columns={columns.length} />}
          {shown.map(({ row, index }) => {
            const key = keys[index] ?? String(index);
            return (
              <tr
                key={key}
                ref={isVirtual ? virtualizer.measureElement : undefined}
                data-index={index}
                data-key={key}
                tabIndex={key === activeKey ? 0 : -1}
                aria-rowindex={isVirtual ? index + 2 : undefined}
                aria-selected={selectedKey === key ? true : undefined}
                className={clsx(hasStickyHead && "scroll-mt-12", isStaleRow?.(row) === true && "stale")}
                onFocus={() => setActiveKey(key)}
                onClick={(event) => onRowClick(event, row)}
              >
                <Cells row={row} columns={columns} />
              </tr>
            );
          })}
          {after > 0 && <Spacer height={after} columns={columns.length} />}
        </tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </ScrollRegion>
  );
}

/** Cells of a row whose data did not change are not drawn again when the page asks anew. */
const Cells = memo(function Cells<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return columns.map((column) => (
    <td
      key={column.id}
      className={clsx(column.isNumeric && "n", NARROW[column.narrow ?? "labelled"], column.cellClass)}
      data-label={(column.narrow ?? "labelled") === "labelled" ? column.label : undefined}
    >
      {column.cell(row)}
    </td>
  ));
}) as <Row>(props: { row: Row; columns: readonly Column<Row>[] }) => ReactNode;

const NARROW = { full: "full", half: "half", labelled: "", hidden: "max-sm:hidden!" } as const;

function HeadCell<Row>(props: {
  column: Column<Row>;
  sort: Sort | null;
  onSort: ((sort: Sort | null) => void) | undefined;
  width: string | undefined;
  isTabStop: boolean;
  isSticky: boolean;
}) {
  const { column, sort, onSort, width, isTabStop, isSticky } = props;
  const head =
    column.isHeadHidden === true ? (
      <span className="sr-only">{column.label}</span>
    ) : (
      (column.head ?? column.label)
    );
  const isSorted = sort?.columnId === column.id;
  const Arrow = sort?.direction === "ascending" ? ChevronUp : ChevronDown;
  return (
    <th
      scope="col"
      aria-sort={isSorted ? sort.direction : undefined}
      style={width === undefined ? undefined : { width }}
      className={clsx(column.isNumeric && "n", isSticky && "lg:sticky lg:top-[var(--bar-h)] lg:z-10")}
    >
      {column.sort === undefined || onSort === undefined ? (
        head
      ) : (
        <button
          type="button"
          tabIndex={isTabStop ? 0 : -1}
          onClick={() => onSort(nextSort(sort, column.id, column.firstDirection ?? "ascending"))}
          className={clsx(
            "inline-flex min-h-5 items-end gap-1 hover:text-fg",
            column.isNumeric === true && "text-right",
          )}
        >
          {head}
          {isSorted && <Arrow size={12} aria-hidden="true" className="mb-0.5 flex-none" />}
        </button>
      )}
    </th>
  );
}

function Spacer({ height, columns }: { height: number; columns: number }) {
  return (
    <tr style={{ height }}>
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

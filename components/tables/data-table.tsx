"use client";

import type { RowData } from "@tanstack/react-table";
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
import { ScrollRegion } from "./scroll-region";
import {
  type ModelHeader,
  type ModelRow,
  type TableModel,
  type TableModelOptions,
  useTableModel,
} from "./table-model";
import { useRowKeys } from "./use-row-keys";

/** More rows than this are drawn only where they can be seen. */
export const VIRTUAL_FROM_ROWS = 200;

/** How a table looks and what its rows do. */
interface TableLook<Row> {
  /** Names the table; not drawn. */
  readonly caption: string;
  /** Where Enter and a click on the row lead; the row's first text cell holds the same link. */
  readonly rowHref?: (row: Row) => string | null;
  /** Chooses a row in place of opening a page. */
  readonly onSelect?: (row: Row) => void;
  readonly selectedKey?: string | null;
  /** A letter pressed on a row; true when it meant something. */
  readonly onLetter?: (letter: string, row: Row) => boolean;
  readonly isStaleRow?: (row: Row) => boolean;
  readonly foot?: ReactNode;
  readonly isCompact?: boolean;
  readonly isStackable?: boolean;
  /** Draws the heads under the top bar while the rows scroll; only for a table that fits its width. */
  readonly hasStickyHead?: boolean;
  readonly isHeadHidden?: boolean;
  readonly onPointerInside?: (isInside: boolean) => void;
}

/** A dense table with one tab stop, sorting in the heads, and rows drawn as needed. */
export function DataTable<Row extends RowData>(props: TableLook<Row> & TableModelOptions<Row>) {
  return <ModelTable {...props} model={useTableModel(props)} />;
}

/** The same for a page that needs the rows of the model elsewhere too. `order` draws them by key in another order. */
export function ModelTable<Row extends RowData>(
  props: TableLook<Row> & { readonly model: TableModel<Row>; readonly order?: readonly string[] },
) {
  const { model, order, caption, rowHref, onSelect, selectedKey, onLetter, isStaleRow } = props;
  const { foot, isCompact = false, isStackable = false, hasStickyHead = false } = props;
  const { rows: sorted, rowsById } = model.getRowModel();
  const rows = order === undefined ? sorted : order.flatMap((key) => rowsById[key] ?? []);
  const columns = model.getVisibleLeafColumns();
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
    getItemKey: (index) => rows[index]?.id ?? index,
  });

  const keys = rows.map(({ id }) => id);
  const byKey = (key: string) => rowsById[key]?.original;
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
    // A shape inside a link is an element too, though none of HTML.
    const target = event.target instanceof Element ? event.target : null;
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
            {model.getFlatHeaders().map((header) => (
              <HeadCell
                key={header.id}
                header={header}
                hasWidth={isVirtual}
                isTabStop={rows.length === 0}
                isSticky={hasStickyHead}
              />
            ))}
          </tr>
        </thead>
        <tbody ref={bodyRef}>
          {before > 0 && <Spacer height={before} columns={columns.length} />}
          {shown.map(({ row, index }) => {
            const key = row.id;
            return (
              <tr
                key={key}
                ref={isVirtual ? virtualizer.measureElement : undefined}
                data-index={index}
                data-key={key}
                tabIndex={key === activeKey ? 0 : -1}
                aria-rowindex={isVirtual ? index + 2 : undefined}
                aria-selected={selectedKey === key ? true : undefined}
                className={clsx(
                  hasStickyHead && "scroll-mt-12",
                  isStaleRow?.(row.original) === true && "stale",
                )}
                onFocus={() => setActiveKey(key)}
                onClick={(event) => onRowClick(event, row.original)}
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

interface CellsProps<Row extends RowData> {
  readonly row: ModelRow<Row>;
  /** Compared by identity: other columns draw the row anew. */
  readonly columns: readonly unknown[];
}

/** Cells of a row whose data did not change are not drawn again when the page asks anew. */
const Cells = memo(
  function Cells<Row extends RowData>({ row }: CellsProps<Row>) {
    return row.getVisibleCells().map((cell) => {
      const { meta: look, cell: draw } = cell.column.columnDef;
      const narrow = look?.narrow ?? "labelled";
      return (
        <td
          key={cell.column.id}
          className={clsx(look?.isNumeric && "n", NARROW[narrow], look?.cellClass)}
          data-label={narrow === "labelled" ? look?.label : undefined}
        >
          {/* Called, not mounted as a component: new columns would mount it anew and take the focus from its link. */}
          {typeof draw === "function" ? draw(cell.getContext()) : draw}
        </td>
      );
    });
  },
  (before, now) => before.row.original === now.row.original && before.columns === now.columns,
) as <Row extends RowData>(props: CellsProps<Row>) => ReactNode;

const NARROW = { full: "full", half: "half", labelled: "", hidden: "max-sm:hidden!" } as const;
const ARIA_SORT = { asc: "ascending", desc: "descending" } as const;

function HeadCell<Row extends RowData>(props: {
  header: ModelHeader<Row>;
  hasWidth: boolean;
  isTabStop: boolean;
  isSticky: boolean;
}) {
  const { column } = props.header;
  const { hasWidth, isTabStop, isSticky } = props;
  const look = column.columnDef.meta;
  const head =
    look?.isHeadHidden === true ? <span className="sr-only">{look.label}</span> : (look?.head ?? look?.label);
  const sorted = column.getIsSorted();
  const Arrow = sorted === "asc" ? ChevronUp : ChevronDown;
  return (
    <th
      scope="col"
      aria-sort={sorted === false ? undefined : ARIA_SORT[sorted]}
      style={hasWidth && look?.width !== undefined ? { width: look.width } : undefined}
      className={clsx(look?.isNumeric && "n", isSticky && "lg:sticky lg:top-[var(--bar-h)] lg:z-10")}
    >
      {column.getCanSort() ? (
        <button
          type="button"
          tabIndex={isTabStop ? 0 : -1}
          onClick={() => column.toggleSorting(undefined, false)}
          className={clsx(
            "inline-flex min-h-5 items-end gap-1 hover:text-fg",
            look?.isNumeric === true && "text-right",
          )}
        >
          {head}
          {sorted !== false && <Arrow size={12} aria-hidden="true" className="mb-0.5 flex-none" />}
        </button>
      ) : (
        head
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

"use client";

import { type KeyboardEvent, useRef, useState } from "react";
import { usePreferences } from "@/components/preferences/preferences";

interface RowKeys {
  /** Key of the row that Tab reaches; the first one at the start. */
  readonly activeKey: string | null;
  readonly setActiveKey: (key: string) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLTableElement>) => void;
}

/**
 * One tab stop per table: arrows, `j`, `k`, Home and End move over the rows; right and left over the links and buttons
 * of a row; up from the first row goes to the heads that sort. `reveal` brings a row that is not drawn into the page.
 */
export function useRowKeys(options: {
  readonly keys: readonly string[];
  readonly onOpen?: ((key: string, isNewTab: boolean) => void) | undefined;
  readonly onLetter?: ((letter: string, key: string) => boolean) | undefined;
  readonly reveal?: ((index: number) => void) | undefined;
}): RowKeys {
  const { keys, onOpen, onLetter, reveal } = options;
  const { hasLetterKeys } = usePreferences();
  const [active, setActiveKey] = useState<string | null>(null);
  const pendingFocus = useRef<number | undefined>(undefined);
  const activeKey = active !== null && keys.includes(active) ? active : (keys[0] ?? null);

  const focusRow = (table: HTMLTableElement, index: number) => {
    const key = keys[Math.max(0, Math.min(keys.length - 1, index))];
    if (key === undefined) return;
    setActiveKey(key);
    const row = () => table.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(key)}"]`);
    const drawn = row();
    if (drawn !== null) return drawn.focus();
    reveal?.(index);
    if (pendingFocus.current !== undefined) cancelAnimationFrame(pendingFocus.current);
    pendingFocus.current = requestAnimationFrame(() => requestAnimationFrame(() => row()?.focus()));
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target === null || event.altKey) return;
    const table = event.currentTarget;
    const move = moveOf(event, hasLetterKeys);
    const row = target.closest<HTMLElement>("tr[data-key]");
    if (row === null) {
      if (moveInHeads(table, target, move, () => focusRow(table, 0))) event.preventDefault();
      return;
    }
    const key = row.dataset.key ?? "";
    const index = keys.indexOf(key);
    if (event.key === "Enter" && target === row && onOpen !== undefined) {
      event.preventDefault();
      onOpen(key, event.ctrlKey || event.metaKey);
    } else if (event.ctrlKey || event.metaKey) {
      return;
    } else if (move === "next" || move === "previous") {
      event.preventDefault();
      const step = move === "next" ? 1 : -1;
      if (index + step < 0) headButtons(table)[0]?.focus();
      else focusRow(table, index + step);
    } else if (move === "first" || move === "last") {
      event.preventDefault();
      focusRow(table, move === "first" ? 0 : keys.length - 1);
    } else if (move === "right" || move === "left") {
      event.preventDefault();
      moveInRow(row, target, move === "right" ? 1 : -1);
    } else if (hasLetterKeys && event.key.length === 1 && onLetter?.(event.key, key) === true) {
      event.preventDefault();
    }
  };
  return { activeKey, setActiveKey, onKeyDown };
}

type Move = "next" | "previous" | "first" | "last" | "right" | "left" | null;

function moveOf(event: KeyboardEvent, hasLetterKeys: boolean): Move {
  switch (event.key) {
    case "ArrowDown":
      return "next";
    case "ArrowUp":
      return "previous";
    case "ArrowRight":
      return "right";
    case "ArrowLeft":
      return "left";
    case "Home":
      return "first";
    case "End":
      return "last";
    case "j":
      return hasLetterKeys ? "next" : null;
    case "k":
      return hasLetterKeys ? "previous" : null;
    default:
      return null;
  }
}

const headButtons = (table: HTMLElement) => [...table.querySelectorAll<HTMLElement>("thead button")];

function moveInHeads(table: HTMLElement, target: HTMLElement, move: Move, toRows: () => void): boolean {
  const buttons = headButtons(table);
  const index = buttons.indexOf(target);
  if (index < 0 || move === null || move === "previous") return false;
  if (move === "next") toRows();
  else if (move === "first") buttons[0]?.focus();
  else if (move === "last") buttons.at(-1)?.focus();
  else buttons[index + (move === "right" ? 1 : -1)]?.focus();
  return true;
}

/** From the row to its first control and on; before the first one is the row itself. */
function moveInRow(row: HTMLElement, target: HTMLElement, step: 1 | -1): void {
  const stops = [row, ...row.querySelectorAll<HTMLElement>("a[href], button:not(:disabled)")];
  stops[stops.indexOf(target) + step]?.focus();
}

"use client";

import { createContext, type ReactNode, use, useEffect, useMemo, useRef } from "react";
import { usePreferences } from "@/components/preferences/preferences";

interface Binding {
  readonly label: string;
  readonly run: () => void;
}

/** Keys of the page by what is pressed: `c`, or two in a row: `g f`. The last one registered for a key wins. */
export interface KeyRegistry {
  readonly add: (keys: string, binding: Binding) => () => void;
  readonly list: () => readonly { readonly keys: string; readonly label: string }[];
}

const RegistryContext = createContext<KeyRegistry | null>(null);

/** How long the first of two keys waits for the second. */
const SEQUENCE_MS = 1200;

/** Hears single-letter keys outside inputs and dialogs, unless the reader turned them off. */
export function KeyBindings({ children }: { children: ReactNode }) {
  const bindings = useRef(new Map<string, Binding[]>());
  const { hasLetterKeys } = usePreferences();

  useEffect(() => {
    if (!hasLetterKeys) return;
    let first: { readonly key: string; readonly at: number } | null = null;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event)) return;
      const pressed = event.key;
      const isSecond = first !== null && event.timeStamp - first.at < SEQUENCE_MS;
      const keys = isSecond && first !== null ? `${first.key} ${pressed}` : pressed;
      const run = bindings.current.get(keys)?.at(-1)?.run ?? bindings.current.get(pressed)?.at(-1)?.run;
      const isFirstOfTwo = [...bindings.current.keys()].some((known) => known.startsWith(`${pressed} `));
      first = !isSecond && isFirstOfTwo ? { key: pressed, at: event.timeStamp } : null;
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [hasLetterKeys]);

  const registry = useMemo<KeyRegistry>(
    () => ({
      add: (keys, binding) => {
        const known = bindings.current.get(keys) ?? [];
        bindings.current.set(keys, [...known, binding]);
        return () => {
          const rest = (bindings.current.get(keys) ?? []).filter((other) => other !== binding);
          if (rest.length === 0) bindings.current.delete(keys);
          else bindings.current.set(keys, rest);
        };
      },
      list: () =>
        [...bindings.current].flatMap(([keys, known]) => {
          const last = known.at(-1);
          return last === undefined ? [] : [{ keys, label: last.label }];
        }),
    }),
    [],
  );
  return <RegistryContext value={registry}>{children}</RegistryContext>;
}

export function useKeyRegistry(): KeyRegistry {
  const registry = use(RegistryContext);
  if (registry === null) throw new Error("keys need a KeyBindings provider above them");
  return registry;
}

/** Binds a key while the component is mounted and `run` is not `null`. */
export function useKeyBinding(keys: string, label: string, run: (() => void) | null): void {
  const registry = useKeyRegistry();
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  const isBound = run !== null;
  useEffect(() => {
    if (!isBound) return;
    return registry.add(keys, { label, run: () => latest.current?.() });
  }, [registry, keys, label, isBound]);
}

/** True where a letter belongs to what has the focus: a field, or anything in an open dialog. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (target === null) return false;
  return target.isContentEditable || target.closest("input, select, textarea, [role='dialog']") !== null;
}

"use client";

import { useSyncExternalStore } from "react";
import { isTimeZone } from "@/lib/format/instant";

export const THEMES = ["system", "dark", "light"] as const;
export type Theme = (typeof THEMES)[number];

/** What a reader chose in this browser. Kept in its local storage only. */
export interface Preferences {
  readonly theme: Theme;
  /** IANA name; `UTC` by default. */
  readonly timeZone: string;
  /** Whether single-letter keys do something. */
  readonly hasLetterKeys: boolean;
  /** Whether the notice about the demo fleet was closed. */
  readonly isDemoNoticeClosed: boolean;
}

export const DEFAULT_PREFERENCES: Preferences = {
  theme: "system",
  timeZone: "UTC",
  hasLetterKeys: true,
  isDemoNoticeClosed: false,
};

/** `public/theme.js` reads the first of these before the first paint. */
const STORAGE_KEYS: Readonly<Record<keyof Preferences, string>> = {
  theme: "headroom.theme",
  timeZone: "headroom.time-zone",
  hasLetterKeys: "headroom.letter-keys",
  isDemoNoticeClosed: "headroom.demo-notice-closed",
};

const CHANGED = "headroom:preferences";

let cached: { readonly signature: string; readonly value: Preferences } | null = null;

/** The reader's choices; the defaults while the server renders and the page hydrates. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, readPreferences, () => DEFAULT_PREFERENCES);
}

/** Keeps one choice. A browser that refuses storage keeps it for this page load only. */
export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  writeItem(STORAGE_KEYS[name], String(value));
  window.dispatchEvent(new Event(CHANGED));
  if (name === "theme") applyTheme();
}

/**
 * Sets `<html data-theme>` from the reader's choice or the system's: what `public/theme.js` does before the first
 * paint, done again when the choice or the system changes, and when React makes the document anew.
 */
export function applyTheme(): void {
  const { theme } = parsePreferences(readItem);
  const isLight =
    theme === "light" || (theme === "system" && window.matchMedia("(prefers-color-scheme: light)").matches);
  document.documentElement.dataset.theme = isLight ? "light" : "dark";
}

/** Parses what is stored; anything unknown is the default. */
export function parsePreferences(read: (key: string) => string | null): Preferences {
  const theme = THEMES.find((name) => name === read(STORAGE_KEYS.theme));
  const timeZone = read(STORAGE_KEYS.timeZone);
  return {
    theme: theme ?? DEFAULT_PREFERENCES.theme,
    timeZone: timeZone !== null && isTimeZone(timeZone) ? timeZone : DEFAULT_PREFERENCES.timeZone,
    hasLetterKeys: read(STORAGE_KEYS.hasLetterKeys) !== "false",
    isDemoNoticeClosed: read(STORAGE_KEYS.isDemoNoticeClosed) === "true",
  };
}

/** For stores of their own in this browser, such as what was opened last. */
export function readItem(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return memory.get(key) ?? null;
  }
}

export function writeItem(key: string, value: string): void {
  memory.set(key, value);
  try {
    window.localStorage.setItem(key, value);
  } catch {
    // Storage is blocked or full: `memory` keeps the choice while the page is open.
  }
}

const memory = new Map<string, string>();

function readPreferences(): Preferences {
  const signature = Object.values(STORAGE_KEYS).map(readItem).join("\n");
  if (cached?.signature !== signature) cached = { signature, value: parsePreferences(readItem) };
  return cached.value;
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener(CHANGED, onChange);
  window.addEventListener("storage", onChange);
  return () => {
    window.removeEventListener(CHANGED, onChange);
    window.removeEventListener("storage", onChange);
  };
}

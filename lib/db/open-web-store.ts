import { existsSync, statSync } from "node:fs";
import { AppError } from "../errors.ts";
import { type OpenStoreOptions, openStore } from "./open-store.ts";
import { suspectPath } from "./sqlite/set-aside.ts";
import type { Store } from "./store.ts";
import { parseStoreUrl } from "./store-url.ts";

/** After this long, a store that could only be read is tried for writing again. */
const RETRY_WRITING_AFTER_MS = 30_000;

interface Opened {
  readonly store: Store;
  readonly path: string;
  readonly inode: bigint | null;
  readonly openedAt: number;
}

/** One per process: a development server loads this module anew with each change, the global object stays. */
const HOLDER = Symbol.for("headroom.web-store");
const holder = globalThis as typeof globalThis & { [HOLDER]?: Promise<Opened> };

/**
 * The store of the web process, opened on first use and then shared. Opened for reading only where it cannot be
 * written, so that pages still show what is stored; opened anew where the file was found damaged and replaced. A
 * failure is not remembered: the next request tries again.
 * @throws AppError as `openStore` does.
 */
export async function openWebStore(options: Omit<OpenStoreOptions, "mode">): Promise<Store> {
  const path = parseStoreUrl(options.url);
  const now = (options.clock ?? { now: Date.now }).now();
  const current = holder[HOLDER];
  if (current !== undefined) {
    const opened = await current.catch(() => null);
    if (opened !== null && !isOutdated(opened, path, now)) return opened.store;
    // Another request may have replaced it while this one waited.
    if (holder[HOLDER] === current) {
      delete holder[HOLDER];
      await opened?.store.close();
    }
  }
  holder[HOLDER] ??= open(options, path, now);
  const opening = holder[HOLDER];
  try {
    return (await opening).store;
  } catch (error) {
    if (holder[HOLDER] === opening) delete holder[HOLDER];
    throw error;
  }
}

/** Closes the shared store, at the end of the process or of a test. */
export async function closeWebStore(): Promise<void> {
  const current = holder[HOLDER];
  delete holder[HOLDER];
  const opened = await current?.catch(() => null);
  await opened?.store.close();
}

async function open(options: Omit<OpenStoreOptions, "mode">, path: string, now: number): Promise<Opened> {
  const store = await openStore({ ...options, mode: "read-write" }).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "store-read-only") throw error;
    // Works where another process has the store open, or may write to its folder. Else the first reason is the one to tell.
    return openStore({ ...options, mode: "read-only" }).catch(() => Promise.reject(error));
  });
  return { store, path, inode: inodeOf(path), openedAt: now };
}

function isOutdated(opened: Opened, path: string, now: number): boolean {
  if (opened.path !== path || opened.inode !== inodeOf(path)) return true;
  if (opened.store.mode === "read-only") return now - opened.openedAt >= RETRY_WRITING_AFTER_MS;
  return existsSync(suspectPath(path));
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

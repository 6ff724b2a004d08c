"use client";

import { createContext, type ReactNode, use, useState, useSyncExternalStore } from "react";

interface NowStore {
  readonly subscribe: (onTick: () => void) => () => void;
  readonly read: () => number;
  readonly readAtFirst: () => number;
}

const NowContext = createContext<NowStore | null>(null);

/**
 * Ages count on from the server's clock, so that a browser whose clock is off shows right ones. One timer serves the
 * page and runs only while something shows an age.
 */
export function NowProvider({ serverNow, children }: { serverNow: number; children: ReactNode }) {
  const [store] = useState(() => createNowStore(serverNow));
  return <NowContext value={store}>{children}</NowContext>;
}

/** The server's time in milliseconds, moving in whole seconds. */
export function useNow(): number {
  const store = use(NowContext);
  if (store === null) throw new Error("useNow needs a NowProvider above it");
  return useSyncExternalStore(store.subscribe, store.read, store.readAtFirst);
}

function createNowStore(serverNow: number): NowStore {
  const clientNow = Date.now();
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  const first = wholeSecond(serverNow);
  return {
    read: () => wholeSecond(serverNow + Date.now() - clientNow),
    readAtFirst: () => first,
    subscribe: (onTick) => {
      listeners.add(onTick);
      timer ??= setInterval(() => {
        for (const listener of listeners) listener();
      }, 1000);
      return () => {
        listeners.delete(onTick);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

const wholeSecond = (at: number): number => Math.floor(at / 1000) * 1000;

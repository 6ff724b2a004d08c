import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import { type OpenStoreOptions, openStore } from "../open-store.ts";
import type { Store } from "../store.ts";

/**
 * A folder for one test, with whatever stores the test opens in it. Both are gone when the test ends. Call it at the
 * top of a test file.
 */
export function temporaryStores(): {
  /** The folder of the running test. */
  readonly directory: () => string;
  readonly path: (name?: string) => string;
  readonly open: (options?: Partial<OpenStoreOptions> & { readonly name?: string }) => Promise<Store>;
} {
  let current: string | null = null;
  const opened: Store[] = [];
  const directory = () => {
    current ??= mkdtempSync(join(tmpdir(), "headroom-store-"));
    return current;
  };
  const path = (name = "headroom.db") => join(directory(), name);
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    if (current !== null) rmSync(current, { recursive: true, force: true });
    current = null;
  });
  return {
    directory,
    path,
    open: async ({ name, ...options } = {}) => {
      const store = await openStore({ url: `file:${path(name)}`, mode: "read-write", ...options });
      opened.push(store);
      return store;
    },
  };
}

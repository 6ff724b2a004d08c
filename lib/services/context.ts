import { type Clock, systemClock } from "../clock.ts";
import type { HeadroomConfig } from "../config/config-types.ts";
import { loadConfig } from "../config/load-config.ts";
import { openStore } from "../db/open-store.ts";
import type { Store } from "../db/store.ts";
import { AppError } from "../errors.ts";
import { formatMarkdownInstant } from "../format/instant.ts";
import { createLogger, type Logger } from "../logger.ts";
import { readSupervision, type SupervisionState } from "../supervisor/supervision-state.ts";

/** What every service takes: where to read, the time, and for whom. */
export interface ServiceContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: HeadroomConfig;
  /** Who acknowledges. In access mode `none` there is one local reviewer. */
  readonly reviewer: string;
  readonly logger: Logger;
  readonly readSupervision: () => SupervisionState;
  /** Set where the store had to be set aside or is in trouble, for the notice on every page. */
  readonly storeNotice: string | null;
}

/** The one reviewer of access mode `none`. */
export const LOCAL_REVIEWER = "local";

/** One per process, whatever a bundler makes of this module. */
const holder = globalThis as { __headroomContext?: Promise<ServiceContext> | undefined };

/**
 * The context of this process: opened on first use, once. A store that cannot be opened is tried again at the next
 * call, so that a full disk or a lock that goes away needs no restart.
 * @throws ConfigError, or AppError `store-*`
 */
export async function getServiceContext(): Promise<ServiceContext> {
  holder.__headroomContext ??= openServiceContext(loadConfig());
  const opening = holder.__headroomContext;
  try {
    return await opening;
  } catch (error) {
    if (holder.__headroomContext === opening) holder.__headroomContext = undefined;
    throw error;
  }
}

/** What {@link getServiceContext} answers from now on; `null`: it opens one again. For tests of routes. */
export function provideServiceContext(context: ServiceContext | null): void {
  holder.__headroomContext = context === null ? undefined : Promise.resolve(context);
}

/** A context of its own, for the first start, a command line or a test. */
export async function openServiceContext(
  config: HeadroomConfig,
  ways: { readonly openStore?: OpenStore } = {},
): Promise<ServiceContext> {
  const store = await openForPages(config.store.url, ways.openStore ?? openStore);
  return {
    store,
    clock: systemClock,
    config,
    reviewer: LOCAL_REVIEWER,
    logger: createLogger("web"),
    readSupervision,
    storeNotice: describeStore(store),
  };
}

type OpenStore = (options: { readonly url: string; readonly mode: Store["mode"] }) => Promise<Store>;

/** A store that takes no writes still has pages to show: it is opened for reading where that is all that goes. */
async function openForPages(url: string, open: OpenStore): Promise<Store> {
  try {
    return await open({ url, mode: "read-write" });
  } catch (error) {
    if (!(error instanceof AppError) || !(error.code === "store-read-only" || error.code === "store-full"))
      throw error;
    try {
      return await open({ url, mode: "read-only" });
    } catch {
      // The first failure says what is wrong; the second only that nothing is there to be read either.
      throw error;
    }
  }
}

function describeStore(store: Store): string | null {
  if (store.mode === "read-only") {
    return "The store takes no writes: nothing new is collected, and nothing can be acknowledged. Free space or make it writable, then restart.";
  }
  const { asidePath, createdAt } = store.origin;
  if (asidePath === null) return null;
  return `The store was damaged and was kept aside as ${asidePath}. This one begins at ${formatMarkdownInstant(createdAt)}.`;
}

import { type Clock, systemClock } from "../clock.ts";
import type { HeadroomConfig } from "../config/config-types.ts";
import { loadConfig } from "../config/load-config.ts";
import { openWebStore } from "../db/open-web-store.ts";
import type { Store } from "../db/store.ts";
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

interface Holder {
  config?: HeadroomConfig;
  logger?: Logger;
  readonly contexts: WeakMap<Store, ServiceContext>;
  provided?: ServiceContext | undefined;
}

/** One per process, whatever a bundler makes of this module. */
const global = globalThis as { __headroomServices?: Holder };

function holder(): Holder {
  global.__headroomServices ??= { contexts: new WeakMap() };
  return global.__headroomServices;
}

/**
 * The context of this process. The configuration is read once; the store is opened on first use, and anew where it had
 * to be: a failure is tried again at the next call, so that a full disk or a lock that goes away needs no restart.
 * @throws ConfigError, or AppError `store-*`
 */
export async function getServiceContext(): Promise<ServiceContext> {
  const held = holder();
  if (held.provided !== undefined) return held.provided;
  held.config ??= loadConfig();
  held.logger ??= createLogger("web");
  const store = await openWebStore({ url: held.config.store.url });
  const context = held.contexts.get(store) ?? makeServiceContext(held.config, store, held.logger);
  held.contexts.set(store, context);
  return context;
}

/** What {@link getServiceContext} answers from now on; `null`: the process's own again. For tests of routes. */
export function provideServiceContext(context: ServiceContext | null): void {
  holder().provided = context ?? undefined;
}

/** A context over a store that is open. */
export function makeServiceContext(
  config: HeadroomConfig,
  store: Store,
  logger: Logger = createLogger("web"),
): ServiceContext {
  return {
    store,
    clock: systemClock,
    config,
    reviewer: LOCAL_REVIEWER,
    logger,
    readSupervision,
    storeNotice: describeStore(store),
  };
}

function describeStore(store: Store): string | null {
  if (store.mode === "read-only") {
    return "The store takes no writes: nothing can be acknowledged, and nothing new is kept. Free space or make it writable; it is tried again every 30 s.";
  }
  const { asidePath, createdAt } = store.origin;
  if (asidePath === null) return null;
  return `The store was damaged and was kept aside as ${asidePath}. This one begins at ${formatMarkdownInstant(createdAt)}.`;
}

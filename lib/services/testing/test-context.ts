import type { HeadroomConfig } from "../../config/config-types.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { Store } from "../../db/store.ts";
import { NOON } from "../../db/testing/records.ts";
import { createLogger } from "../../logger.ts";
import type { SupervisionState } from "../../supervisor/supervision-state.ts";
import { LOCAL_REVIEWER, type ServiceContext } from "../context.ts";

export interface TestContext extends ServiceContext {
  /** Moves the clock. */
  setNow(at: number): void;
  setSupervision(state: SupervisionState): void;
  /** What was logged, one JSON line each. */
  readonly logLines: readonly string[];
}

/** A context over a store of a test: its clock stands at `NOON` until it is moved, and no collector is supervised. */
export function makeTestContext(store: Store, overrides: Partial<HeadroomConfig> = {}): TestContext {
  let now = NOON;
  let supervision: SupervisionState = { kind: "external" };
  const logLines: string[] = [];
  return {
    store,
    clock: { now: () => now },
    config: { ...loadConfig({ env: {}, cwd: "/nonexistent", flags: {} }), ...overrides },
    reviewer: LOCAL_REVIEWER,
    logger: createLogger("web", {
      level: "debug",
      destination: { write: (line: string) => void logLines.push(line) },
    }),
    readSupervision: () => supervision,
    storeNotice: null,
    logLines,
    setNow: (at) => {
      now = at;
    },
    setSupervision: (state) => {
      supervision = state;
    },
  };
}

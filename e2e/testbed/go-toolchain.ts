import { spawnSync } from "node:child_process";
import { type Availability, absent, present } from "./availability.ts";

export interface GoToolchain {
  readonly path: string;
  readonly version: string;
}

/** kwok's own go line, and the `new(expression)` of the seeder, ask for 1.26. */
const MINIMUM_MINOR = 26;

const HOW_TO_GET = `install Go 1.${MINIMUM_MINOR} or newer from https://go.dev/dl and put its bin folder in PATH`;

/**
 * The Go toolchain that HEADROOM_TESTBED_GO names; else the first that is new enough on PATH or in the place
 * where its installer puts it.
 */
export function findGo(env: NodeJS.ProcessEnv = process.env): Availability<GoToolchain> {
  const named = env.HEADROOM_TESTBED_GO;
  const candidates = named ? [named] : ["go", "/usr/local/go/bin/go"];
  let tooOld: string | null = null;
  for (const path of candidates) {
    // GOTOOLCHAIN=local asks this toolchain itself; otherwise it may answer for one it would first download.
    const asked = spawnSync(path, ["env", "GOVERSION"], {
      encoding: "utf8",
      env: { ...env, GOTOOLCHAIN: "local" },
      timeout: 20_000,
    });
    const version = asked.status === 0 ? asked.stdout.trim() : "";
    const match = /^go(?<major>\d+)\.(?<minor>\d+)/.exec(version);
    if (!match) continue;
    if (Number(match.groups?.major) > 1 || Number(match.groups?.minor) >= MINIMUM_MINOR) {
      return present({ path, version });
    }
    tooOld ??= version;
  }
  return tooOld === null
    ? absent("Go is not installed", HOW_TO_GET)
    : absent(`the installed Go (${tooOld}) is older than 1.${MINIMUM_MINOR}`, HOW_TO_GET);
}

import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where built binaries live, per user, so that a fresh clone finds them. */
export function cacheDirectory(env: Environment = process.env): string {
  const headroom = env.HEADROOM_CACHE;
  if (headroom) return join(headroom, "testbed");
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "headroom", "testbed");
}

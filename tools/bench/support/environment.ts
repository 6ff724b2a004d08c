import { join } from "node:path";
import { ROOT } from "./paths.ts";

/** Names of variables that would lead the product to somebody's clusters or settings. */
const LEFT_OUT = /^(?:HEADROOM_|KUBE|COLLECTOR$|PORT$|HOSTNAME$|NODE_OPTIONS$|npm_)/;

/** The environment for a process of the product: this one's without settings of Headroom, and those given. */
export function productEnvironment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || LEFT_OUT.test(name) ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(inherited),
    NODE_ENV: "production",
    HEADROOM_MIGRATIONS_DIR: join(ROOT, "prisma", "migrations"),
    ...extra,
  };
}

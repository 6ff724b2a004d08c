import { type Command, InvalidArgumentError, Option } from "commander";
import { countFlag, parseGateFlag, parseSwitchFlag } from "./flag-values.ts";

/** What is known of a collection or object, for what a request costs; absent flags have no key. */
export interface CostFlags {
  readonly objects?: number;
  readonly objectBytes?: number;
  readonly stats?: "ok" | "stale" | "notfound" | "error";
  readonly watchers?: number;
  readonly featureGate?: Readonly<Record<string, boolean>>;
  readonly etcdProgress?: boolean;
  readonly cached?: boolean;
  readonly cacheState?: "ready" | "behind" | "initializing";
  readonly resourceVersionState?: "held" | "compacted" | "future";
  readonly changesSince?: number;
  readonly namespaceObjects?: number;
  readonly matchingObjects?: number;
  readonly responseObjectBytes?: number;
}

export function addCostOptions(command: Command): Command {
  return command
    .option("--objects <number>", "objects of the resource in the whole cluster", countFlag())
    .option(
      "--object-bytes <number>",
      "mean bytes of one as stored in etcd (matters from 1.34 on)",
      countFlag(),
    )
    .addOption(
      new Option(
        "--stats <state>",
        "what the API server knows of them (default: ok where --objects is given)",
      ).choices(["ok", "stale", "notfound", "error"]),
    )
    .option(
      "--watchers <number>",
      "create, update, patch, delete: watches on this server that are interested",
      countFlag(),
    )
    .option("--feature-gate <NAME=true|false>", "gate of the API server; may be given again", parseGateFlag)
    .option(
      "--etcd-progress <true|false>",
      "etcd can be asked for progress notifications (default true)",
      parseSwitchFlag,
    )
    .option(
      "--cached <true|false>",
      "the API server caches the resource (default: all but events)",
      parseSwitchFlag,
    )
    .addOption(
      new Option("--cache-state <state>", "state of its watch cache (default ready)").choices([
        "ready",
        "behind",
        "initializing",
      ]),
    )
    .addOption(
      new Option(
        "--resource-version-state <state>",
        "whether etcd has the resource version asked for (default held)",
      ).choices(["held", "compacted", "future"]),
    )
    .option(
      "--changes-since <number>",
      "watch: changes of the resource since the resource version asked for",
      countFlag(),
    )
    .option("--namespace-objects <number>", "objects in the namespace that is asked for", countFlag())
    .option("--matching-objects <number>", "objects that match the selectors", countFlag())
    .option(
      "--response-object-bytes <number>",
      "mean bytes of one in the form asked for (default: as stored)",
      countFlag(),
    );
}

/** The fields of a line for what the flags say. */
export function costFieldsOf(flags: CostFlags) {
  return {
    gates: flags.featureGate,
    etcdProgress: flags.etcdProgress,
    stats: flags.stats,
    objects: flags.objects,
    size: flags.objectBytes,
    watchers: flags.watchers,
    isCached: flags.cached,
    cacheState: flags.cacheState,
    versionState: flags.resourceVersionState,
    changesSince: flags.changesSince,
    namespaceObjects: flags.namespaceObjects,
    matchingObjects: flags.matchingObjects,
    objectResponseBytes: flags.responseObjectBytes,
  };
}

/** True where something is known that a price can be told from. */
export const isPriceKnown = ({ objects, stats, watchers }: CostFlags): boolean =>
  objects !== undefined || stats !== undefined || watchers !== undefined;

/** Path and query: a path may bring its query with it, behind a question mark. */
export function splitPath(
  path: string,
  query: string | undefined,
): { readonly path: string; readonly query: string } {
  const [first = "", ...rest] = path.split("?");
  const own = rest.join("?");
  const given = query?.replace(/^\?/, "") ?? "";
  return { path: first, query: [own, given].filter((part) => part !== "").join("&") };
}

export function parsePathFlag(text: string): string {
  if (!text.startsWith("/")) throw new InvalidArgumentError("expected a path that begins with /");
  return text;
}

export function parseMethodFlag(text: string): string {
  if (!/^[A-Za-z]+$/.test(text)) throw new InvalidArgumentError("expected an HTTP method such as GET");
  const method = text.toUpperCase();
  if (method === "LIST" || method === "WATCH") {
    throw new InvalidArgumentError(
      `${method} is a verb and no HTTP method: expected GET${method === "WATCH" ? ", with watch=true in the query" : " of the collection"}`,
    );
  }
  return method;
}

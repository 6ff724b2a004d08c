import { recordOnce } from "../../collector/record-once.ts";
import { type OncePass, scrapeOnce } from "../../collector/scrape-once.ts";
import type { HeadroomConfig } from "../../config/config-types.ts";
import { openStore } from "../../db/open-store.ts";
import { AppError } from "../../errors.ts";
import { type ClusterTarget, defaultKubeconfigPaths, loadKubeconfig, systemClock } from "../../kube/index.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { collectExitCode, formatCollectJson, formatCollectText } from "../output/collect.ts";
import type { Style } from "../output/style.ts";

export interface CollectOnceOptions {
  /** Names of contexts; empty: the current one. */
  readonly contexts: readonly string[];
  /** A kubeconfig named by flag; `null`: as kubectl finds it. */
  readonly kubeconfig: string | null;
  readonly format: "text" | "json";
  readonly isQuiet: boolean;
  readonly isStored: boolean;
  readonly config: Pick<HeadroomConfig, "clusters" | "store">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly style: Style;
  readonly signal: AbortSignal;
}

export interface Output {
  out(text: string): void;
  err(text: string): void;
}

/** Wrong usage, or a kubeconfig that cannot be used. */
const UNUSABLE = 2;

/** `headroom collect --once`: one pass over each cluster named, one after the other. Returns the exit code. */
export async function runCollectOnce(options: CollectOnceOptions, output: Output): Promise<number> {
  const targets = await findTargets(options, output);
  if (targets === null) return UNUSABLE;
  const passes: OncePass[] = [];
  for (const target of targets) {
    passes.push(
      await scrapeOnce(target, {
        clock: systemClock,
        random: Math.random,
        limits: options.config.clusters.budget,
        signal: options.signal,
        env: options.env,
        onDefect: (part, error) =>
          output.err(`${part}: ${error instanceof Error ? error.stack : String(error)}`),
      }),
    );
  }
  if (options.format === "json") output.out(formatCollectJson(passes, HEADROOM_VERSION));
  else for (const line of formatCollectText(passes, options)) output.out(line);
  if (options.isStored && !(await store(passes, targets, options, output))) return UNUSABLE;
  return collectExitCode(passes);
}

async function findTargets(
  { contexts, kubeconfig, env }: CollectOnceOptions,
  output: Output,
): Promise<readonly ClusterTarget[] | null> {
  const paths = kubeconfig === null ? defaultKubeconfigPaths(env) : [kubeconfig];
  const loaded = await loadKubeconfig({
    paths,
    ...(contexts.length === 0 ? {} : { contexts }),
    source: "flag",
  });
  for (const { message } of loaded.problems) output.err(message);
  const areAllThere = loaded.targets.length > 0 && loaded.targets.length >= contexts.length;
  if (!areAllThere && loaded.problems.length === 0)
    output.err("No context to read: name one with --context.");
  return areAllThere ? loaded.targets : null;
}

async function store(
  passes: readonly OncePass[],
  targets: readonly ClusterTarget[],
  options: CollectOnceOptions,
  output: Output,
): Promise<boolean> {
  try {
    const opened = await openStore({ url: options.config.store.url, mode: "read-write" });
    try {
      for (const [index, pass] of passes.entries()) {
        const target = targets[index];
        if (target !== undefined) await recordOnce(opened, target, pass);
      }
    } finally {
      await opened.close();
    }
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    output.err(error.message);
    return false;
  }
}

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ListeningLine, StatsLine } from "../../../lib/fake-api-server/serve-process.ts";
import { atEnd, endChild } from "./clean-up.ts";
import { ROOT } from "./paths.ts";

/** Fake clusters in a process of their own, so that their cost is not the product's. */
export interface FakeClusters {
  readonly pid: number;
  readonly listening: ListeningLine["listening"];
  stats(): Promise<StatsLine>;
  /** Writes one kubeconfig with a context for each cluster and returns its path. */
  writeKubeconfig(folder: string): string;
}

/** Starts `lib/fake-api-server/main.ts` with these flags; it is ended with the bench. */
export async function startFakeClusters(
  flags: Readonly<Record<string, number | string>>,
): Promise<FakeClusters> {
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(process.execPath, [join(ROOT, "lib/fake-api-server/main.ts"), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  atEnd(() => endChild(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async <Line>(): Promise<Line> => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error("the fake API server ended");
    return JSON.parse(value) as Line;
  };
  const { listening } = await nextLine<ListeningLine>();
  return {
    pid: child.pid ?? 0,
    listening,
    stats: () => {
      child.stdin.write("stats\n");
      return nextLine<StatsLine>();
    },
    writeKubeconfig: (folder) => {
      const path = join(folder, "kubeconfig.json");
      writeFileSync(path, JSON.stringify(kubeconfigOf(listening)), { mode: 0o600 });
      return path;
    },
  };
}

function kubeconfigOf(listening: ListeningLine["listening"]): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: listening.map(({ name, url }) => ({ name, cluster: { server: url } })),
    users: listening.map(({ name, token }) => ({ name, user: { token } })),
    contexts: listening.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    "current-context": listening[0]?.name ?? "",
  };
}

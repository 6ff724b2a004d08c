/** The LIST reader over 150,000 pods: a capability for whoever asks, never part of a pass. */
import { parseArgs } from "node:util";
import { runBench, temporaryFolder } from "./support/clean-up.ts";
import { startFakeClusters } from "./support/fake-clusters.ts";
import { openClient } from "./support/open-client.ts";
import { resetOwnPeak, residentBytes } from "./support/process-figures.ts";
import { progress, report } from "./support/report.ts";

const { values } = parseArgs({ options: { pods: { type: "string", default: "150000" } } });
const pods = Number(values.pods);
const FORM = { limit: 500, resourceVersion: "", resourceVersionMatch: null } as const;

/** What a caller who counts pods by node would keep of each. */
function nodeOf(item: unknown): string {
  const { spec } = item as { spec?: { nodeName?: string } };
  return spec?.nodeName ?? "";
}

await runBench(async () => {
  const fake = await startFakeClusters({ clusters: 1, servers: 1, nodes: 5000, pods });
  const client = await openClient(fake.writeKubeconfig(temporaryFolder()), { allowPodList: true });
  await client.getText("/version");
  const idle = residentBytes("self").now;
  resetOwnPeak();
  const fakeBefore = (await fake.stats()).cpuSeconds;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const byNode = new Map<string, number>();
  const list = client.list("/api/v1/pods", { form: FORM, parseItem: nodeOf });
  for (;;) {
    const next = await list.next();
    if (next.done === true) {
      const seconds = (performance.now() - startedAt) / 1000;
      const cpu = process.cpuUsage(cpuBefore);
      const { itemCount, itemBytes, pages, cost } = next.value;
      report(
        [
          { what: `LIST of ${itemCount} pods, items parsed`, value: seconds, unit: "seconds", aim: 10 },
          {
            what: "memory, highest",
            value: residentBytes("self").peak,
            unit: "bytes",
            aim: 200_000_000,
          },
          { what: "memory before it began", value: idle, unit: "bytes", aim: null },
          { what: "the reader's own CPU", value: (cpu.user + cpu.system) / 1e6, unit: "seconds", aim: null },
          {
            what: "the fake API server's CPU",
            value: (await fake.stats()).cpuSeconds - fakeBefore,
            unit: "seconds",
            aim: null,
          },
        ],
        [
          `${(itemBytes / 1e6).toFixed(0)} MB in ${pages} pages, ${(cost.wireBytes / 1e6).toFixed(0)} MB on the wire, on ${byNode.size} nodes`,
        ],
      );
      return;
    }
    if (next.value.type === "restart") byNode.clear();
    if (next.value.type === "items")
      for (const node of next.value.items) byNode.set(node, (byNode.get(node) ?? 0) + 1);
    if (next.value.type === "page" && byNode.size === 0) progress("the first page has come");
  }
});

import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { openStore } from "../open-store.ts";
import { PRIORITY_LEVELS } from "./levels.ts";
import { makeEvent, makeOutcome, makePass, makeServers } from "./records.ts";

/**
 * Writes passes to the store `argv[2]`, for the cluster `argv[3]`, starting at instant `argv[4]`, and prints the
 * instant of each when it was acknowledged. Waits for a line before it starts: `passes`, or `both` for permissions,
 * which go another way into the store, after each pass. Ends after `argv[5]` passes, or never.
 */
const [, , url = "", clusterId = "", first = "0", count = "Infinity"] = process.argv;
// A child that is killed would not leave its cache to the next.
flushCompileCache();
process.stdout.write("ready\n");
const [wish] = await once(process.stdin, "data");
const isBoth = String(wish).trim() === "both";
const store = await openStore({ url, mode: "read-write" });
for (let at = Number(first); at < Number(first) + Number(count); at++) {
  const servers = Array.from({ length: 40 }, (_, index) => ({
    id: `server-${index}-${at}`,
    name: `api-${index}`,
    hostname: null,
    address: null,
    access: "direct" as const,
    processStartAt: at,
    leaseRenewAt: null,
    lastReadAt: at,
  }));
  await store.parts.recordPass(
    makePass(clusterId, {
      startedAt: at,
      parts: [
        {
          part: "servers",
          outcome: makeOutcome("servers", { startedAt: at }),
          value: makeServers({ servers }),
        },
      ],
      events: [makeEvent({ at })],
      samplesAtSeconds: at,
      samples: PRIORITY_LEVELS.map((priorityLevelName) => ({
        key: { metric: "executing-seats", serverId: "api-0", priorityLevelName, rejectReason: null },
        value: at,
      })),
    }),
  );
  process.stdout.write(`pass ${at}\n`);
  if (!isBoth) continue;
  await store.clusters.mergePermissions(clusterId, { [`p${at}`]: { state: "granted", at } });
  process.stdout.write(`permission ${at}\n`);
}
await store.close();
process.exit(0);

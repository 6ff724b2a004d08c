/**
 * The demo fleet in a process of its own: `node lib/demo-fleet/main.ts [--seed TEXT] [--anchor MILLISECONDS]`.
 * Prints one line with addresses and tokens; see fake-api-server/serve-process.ts for what it answers.
 */
import { parseArgs } from "node:util";
import { serveUntilInputEnds } from "../fake-api-server/serve-process.ts";
import { DEFAULT_SEED, startDemoFleet } from "./demo-fleet.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: DEFAULT_SEED }, anchor: { type: "string" } },
});

const anchorAt = values.anchor === undefined ? undefined : Number(values.anchor);
if (anchorAt !== undefined && !Number.isSafeInteger(anchorAt)) {
  throw new RangeError(`--anchor takes milliseconds since the epoch, not ${JSON.stringify(values.anchor)}.`);
}
const fleet = await startDemoFleet({ seed: values.seed, ...(anchorAt === undefined ? {} : { anchorAt }) });
await serveUntilInputEnds(fleet.clusters);

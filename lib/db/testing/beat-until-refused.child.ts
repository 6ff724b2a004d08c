import { AppError } from "../../errors.ts";
import { openStore } from "../open-store.ts";

/**
 * Writes by the client's own transactions to the store `argv[2]` until one fails, then twice more; prints the code of
 * each failure, and that of a probe. To be run under a limit on the size of files: the signal that comes with it would
 * end this process.
 */
const [, , url = ""] = process.argv;
process.on("SIGXFSZ", () => undefined);
const store = await openStore({ url, mode: "read-write" });
await store.collector.start(process.pid, "0", 0);
let refused = 0;
for (let at = 1; refused < 3 && at < 20_000; at++) {
  try {
    await store.collector.heartbeat(process.pid, at);
  } catch (error) {
    refused += 1;
    process.stdout.write(`${error instanceof AppError ? error.code : String(error)}\n`);
  }
}
await store.maintenance.probeWriting().then(
  () => process.stdout.write("the probe was written\n"),
  (error: unknown) =>
    process.stdout.write(`probe ${error instanceof AppError ? error.code : String(error)}\n`),
);
process.exit(0);

import { once } from "node:events";
import { AppError } from "../../errors.ts";
import { openStore } from "../open-store.ts";
import { makeTarget, NOON } from "./records.ts";

/**
 * Opens the store `argv[2]` when it is told to and adds a cluster named `argv[3]`. Prints `ok`, or the code and the
 * message of the error.
 */
const [, , url = "", name = "one"] = process.argv;
process.stdout.write("ready\n");
await once(process.stdin, "data");
try {
  const store = await openStore({ url, mode: "read-write" });
  await store.clusters.addTarget(makeTarget({ context: name, name }), NOON);
  await store.close();
  process.stdout.write("ok\n");
} catch (error) {
  process.stdout.write(error instanceof AppError ? `${error.code} ${error.message}\n` : `${String(error)}\n`);
}
process.exit(0);

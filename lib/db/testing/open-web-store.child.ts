import { AppError } from "../../errors.ts";
import { closeWebStore, openWebStore } from "../open-web-store.ts";

/** Opens the store `argv[2]` as the web process does and prints its mode and its clusters, or the error. */
try {
  const store = await openWebStore({ url: process.argv[2] ?? "" });
  const names = (await store.clusters.list()).map(({ name }) => name);
  process.stdout.write(`${store.mode} ${names.join(" ")}\n`);
} catch (error) {
  process.stdout.write(error instanceof AppError ? `${error.code} ${error.message}\n` : `${String(error)}\n`);
}
await closeWebStore();

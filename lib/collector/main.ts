import { runCollector } from "./run-collector.ts";

// The IPC channel and pooled connections would keep the process alive.
process.exit(await runCollector());

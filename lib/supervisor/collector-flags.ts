/**
 * V8 flags of the collector's process. What it makes and drops between two collections (pages, passes) is several times
 * what it keeps, and by default V8 keeps the room of both. A small nursery and a heap that grows by less before it is
 * collected took 200 clusters from 640 MB resident to 460 MB for a quarter of a core, when each page still had a table
 * of names of its own; since then it was 331 MB with them. `--optimize-for-size` saved another 45 MB then, for more than
 * twice the CPU. `npm run bench -- --only collector` tells what that comes to.
 */
export const COLLECTOR_V8_FLAGS: readonly string[] = ["--max-semi-space-size=8", "--heap-growing-percent=40"];

/**
 * Environment of the collector's process: glibc has an arena of memory for each thread and gives little of it back; two
 * do for a process whose threads mostly unpack answers. Elsewhere it means nothing.
 */
export const COLLECTOR_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "2" };

/**
 * V8 flags of the collector's process. What it keeps of 200 clusters is 70 MB; what it makes and drops between two
 * collections (pages, passes) is far more. By default V8 keeps the room of both, and pages it has emptied besides. With
 * these it collects more often, for some more CPU, and gives back what it does not use.
 */
export const COLLECTOR_V8_FLAGS: readonly string[] = ["--max-semi-space-size=4", "--optimize-for-size"];

/**
 * Environment of the collector's process: glibc has an arena of memory for each thread and gives little of it back; two
 * do for a process whose threads mostly unpack answers. Elsewhere it means nothing.
 */
export const COLLECTOR_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "2" };

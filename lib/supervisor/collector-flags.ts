/**
 * V8 flags of the collector's process. What it makes and drops between two collections (pages, passes) is several times
 * what it keeps. By default V8 keeps the room of both, and pages it has emptied besides: 671 MB resident over 200
 * clusters with a small nursery alone. With these it collects more often, for more CPU, and keeps fewer emptied pages.
 * `npm run bench -- --only collector` tells what that comes to.
 */
export const COLLECTOR_V8_FLAGS: readonly string[] = ["--max-semi-space-size=4", "--optimize-for-size"];

/**
 * Environment of the collector's process: glibc has an arena of memory for each thread and gives little of it back; two
 * do for a process whose threads mostly unpack answers. Elsewhere it means nothing.
 */
export const COLLECTOR_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "2" };

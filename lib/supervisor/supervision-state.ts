/** What the process that watches over the collector knows of it. Instants are milliseconds since the epoch. */
export type SupervisionState =
  /** This process forks no collector: it runs elsewhere, if at all. */
  | { readonly kind: "external" }
  | { readonly kind: "running"; readonly startedAt: number; readonly pid: number }
  /** It ended by itself and is started again at `nextStartAt`. */
  | {
      readonly kind: "restarting";
      readonly crashes: number;
      readonly lastCrashAt: number;
      readonly lastCrash: string;
      readonly nextStartAt: number;
    }
  /** This process is ending, or has not started one yet. */
  | { readonly kind: "stopped" };

/** Shared by all copies of this module in one process: a bundler may make several. */
const holder = globalThis as { __headroomSupervision?: () => SupervisionState };

/** Where the state of this process's collector can be asked for. */
export function publishSupervision(read: () => SupervisionState): void {
  holder.__headroomSupervision = read;
}

/** `external` where nothing was published: a command line or a test supervises nothing. */
export function readSupervision(): SupervisionState {
  return holder.__headroomSupervision?.() ?? { kind: "external" };
}

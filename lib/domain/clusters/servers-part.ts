/** How a server's figures were obtained: by its own address, through the shared one, or not at all. */
export type ServerAccess = "direct" | "shared-address" | "not-read";

export interface ApiServer {
  /** Stable within the cluster: the identity Lease's name where one could be matched, else made from the start time. */
  readonly id: string;
  /** For pages: `api-0`, in order of first sight. The colour of its series follows it. */
  readonly name: string;
  /** Host name published by the identity Lease (`kubernetes.io/hostname`); `null` where it was not read. */
  readonly hostname: string | null;
  /** `host:port` by which it was reached directly; `null` otherwise. */
  readonly address: string | null;
  readonly access: ServerAccess;
  /** From `process_start_time_seconds`, milliseconds since the epoch; a later value than before is a restart. */
  readonly processStartAt: number | null;
  /** From the identity Lease. */
  readonly leaseRenewAt: number | null;
  readonly lastReadAt: number | null;
  /** Threads that may run its code at once (`go_sched_gomaxprocs_threads`); `null` or absent: not published. */
  readonly cores?: number | null | undefined;
}

export interface ServersPart {
  /** Sorted by name. */
  readonly servers: readonly ApiServer[];
  /** How many servers the identity Leases or EndpointSlices say there are; `null` where neither could be read. */
  readonly expectedServers: number | null;
  /** Where `expectedServers` comes from. */
  readonly expectedFrom: "leases" | "endpoint-slices" | null;
}

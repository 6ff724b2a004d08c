import type { TargetSource } from "../db/store.ts";

/** A kubeconfig somebody named, before its contexts are resolved (the collector reads the file). */
export interface KubeconfigTarget {
  readonly source: Extract<TargetSource, "flag" | "environment" | "configuration-file">;
  /** Absolute path on this machine. */
  readonly path: string;
  /** Names of contexts; `["*"]` means all of the file. */
  readonly contexts: readonly string[];
}

export interface DetectionPath {
  readonly name: string;
  readonly seconds: number;
}

export interface Waiver {
  readonly rule: string;
  readonly subject: string | null;
  readonly reason: string;
  /** Calendar day (UTC) on which it ends, `2027-01-31`. */
  readonly until: string;
}

/** Where the database is. Only `lib/db` looks into the URL. */
export interface StoreConfig {
  /** `file:` URLs hold an absolute path. */
  readonly url: string;
}

/**
 * The whole configuration of this process: defaults, then the configuration file, then the environment, then flags.
 * The web process and the collector load the same one from the same environment. It holds no credential.
 */
export interface HeadroomConfig {
  /** Absolute path of the configuration file that was read; `null` when there is none. */
  readonly file: string | null;
  /** Where relative paths start that people give: on the command line, in variables, on the page. */
  readonly workingDirectory: string;
  readonly clusters: {
    /** In order of precedence: flag, environment, configuration file. Targets of the page are in the store. */
    readonly kubeconfigs: readonly KubeconfigTarget[];
    /** Read the cluster in which this process runs, by its ServiceAccount. Behind the page in precedence. */
    readonly inCluster: boolean;
    /** Labels by cluster name (the context's, or `in-cluster`); the label `role` is the cluster's role. */
    readonly labels: Readonly<Record<string, Readonly<Record<string, string>>>>;
    /** Per cluster; bytes on the wire. */
    readonly budget: { readonly requestsPerMinute: number; readonly bytesPerMinute: number };
    /** Serve the demo fleet even where clusters are configured (`--demo`). */
    readonly forceDemo: boolean;
  };
  readonly store: StoreConfig;
  readonly server: {
    /** A loopback address: others are refused while there is no authentication. */
    readonly address: string;
    readonly port: number;
    /** Origin under which people reach this server, when it is not its address; no path. */
    readonly baseUrl: string | null;
  };
  readonly audit: {
    /** Whether API servers may post audit events here, at `/api/clusters/{clusterId}/audit-events`. */
    readonly webhookEnabled: boolean;
    /** Absolute path of a file with the bearer token that they must send; `null`: none. */
    readonly tokenFile: string | null;
  };
  readonly access: { readonly mode: "none" };
  readonly retention: {
    readonly fineSeconds: number;
    readonly fiveMinutesSeconds: number;
    readonly hourlySeconds: number;
    readonly scrapesSeconds: number;
    readonly incidentsSeconds: number;
  };
  readonly detection: { readonly paths: readonly DetectionPath[] };
  readonly agents: {
    /** Absolute paths of catalogues of agents beside the published one; of two entries with one id the earlier counts. */
    readonly catalogueFiles: readonly string[];
  };
  readonly policy: {
    readonly approvers: number;
    readonly requireEvidence: "measured" | "declared" | "catalogued" | "bounded";
    readonly maxDrainSeconds: number;
    readonly waivers: readonly Waiver[];
  };
  readonly collector: {
    /** `external`: somebody else runs the collector (`COLLECTOR=external`); the web process forks none. */
    readonly mode: "supervised" | "external";
  };
}

/** What the command line may set; it wins over everything. Handed to child processes in `HEADROOM_FLAGS`. */
export interface ConfigFlags {
  /** `--config`. */
  readonly config?: string;
  /** `--kubeconfig`, each once or more. */
  readonly kubeconfig?: readonly string[];
  /** `--context`, for the kubeconfigs named by flag. */
  readonly context?: readonly string[];
  readonly port?: number;
  readonly address?: string;
  /** `--demo`. */
  readonly demo?: boolean;
}

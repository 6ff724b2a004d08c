import type { Reading } from "./reading.ts";

export interface FeatureGate {
  readonly name: string;
  /** `ALPHA`, `BETA`, `DEPRECATED`, or the empty string for GA, as `kubernetes_feature_enabled` labels it. */
  readonly stage: string;
  readonly enabled: boolean;
}

export interface ServerVersion {
  readonly serverId: string;
  /** As published: `v1.34.2`. */
  readonly gitVersion: string;
  readonly platform: string | null;
  /** Sorted by name; `null` where this server's gates were not read. */
  readonly gates: readonly FeatureGate[] | null;
}

/** Version and feature gates. Servers of one cluster may differ during an upgrade; none is averaged away. */
export interface VersionPart {
  /** Lowest git version among the servers read, as published. */
  readonly gitVersion: string;
  readonly major: number;
  readonly minor: number;
  readonly servers: readonly ServerVersion[];
}

/** Counts and sizes of one resource, as one server holds them. */
export interface ResourceSize {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly serverId: string;
  readonly objects: Reading;
  /** Bytes as stored in etcd, all objects together: the sum that the API server prices by (1.34 and later). */
  readonly storedBytes: Reading;
  /** Which read gave `objects`. */
  readonly objectsSource:
    | "apiserver_resource_objects"
    | "apiserver_storage_objects"
    | "remainingItemCount"
    | null;
}

/** Bytes of one object in a response, averaged over one sample page of at most 50 objects, never continued. */
export interface SampledObjectSize {
  readonly group: string;
  readonly resource: string;
  readonly sampledObjects: number;
  /** `null` where that representation was not sampled. */
  readonly jsonBytes: number | null;
  readonly metadataBytes: number | null;
  readonly protobufBytes: number | null;
}

export interface SizesPart {
  /** Sorted by group, resource, server. */
  readonly resources: readonly ResourceSize[];
  readonly samples: readonly SampledObjectSize[];
}

import { z } from "zod";
import type { ServerVersion, VersionPart } from "../../domain/clusters/version-part.ts";
import type { ApiServerClient } from "../../kube/index.ts";
import type { PartRun } from "../pass/part-run.ts";
import type { KnownVersion } from "../scrape-memory.ts";

export const VERSION_PATH = "/version";
export const IDENTITY_PATH = "/api/v1/namespaces/kube-system";

const VersionSchema = z.object({ gitVersion: z.string(), platform: z.string().nullish() });
const NamespaceSchema = z.object({ metadata: z.object({ uid: z.string().min(1) }) });

/** Limits of the first request of a pass: what a dead cluster costs. */
export const PROBE_LIMITS = { headersSeconds: 5, totalSeconds: 8 };

/** The UID that identifies the cluster. @throws ApiServerError, ZodError */
export async function readClusterUid(client: ApiServerClient): Promise<string> {
  const { value } = await client.getJson(IDENTITY_PATH, { limits: PROBE_LIMITS });
  return NamespaceSchema.parse(value).metadata.uid;
}

/** What one server behind the shared address says of its version; `null`: not read, and the part says why. */
export async function readVersion(run: PartRun, client: ApiServerClient): Promise<KnownVersion | null> {
  return run.attempt({ what: VERSION_PATH, path: VERSION_PATH }, async () => {
    const { value } = await client.getJson(VERSION_PATH, { limits: PROBE_LIMITS });
    const { gitVersion, platform } = VersionSchema.parse(value);
    return { gitVersion, platform: platform ?? null, gates: null };
  });
}

/**
 * The version part: what each server says of itself, and the lowest of them as that of the cluster. Where no server's
 * page was read, what one of them answered to `/version` stands for the one it came from (`fallbackServerId`).
 * `null` where neither is known.
 */
export function decideVersion(
  servers: ReadonlyMap<string, KnownVersion>,
  answered: KnownVersion | null,
  fallbackServerId: string,
): VersionPart | null {
  const known = servers.size > 0 || answered === null ? servers : new Map([[fallbackServerId, answered]]);
  const rows = [...known]
    .map(([serverId, each]): ServerVersion => ({ serverId, ...each }))
    .sort((a, b) => (a.serverId < b.serverId ? -1 : 1));
  const [lowest] = [...rows].sort((a, b) => compareVersions(a.gitVersion, b.gitVersion));
  if (lowest === undefined) return null;
  const parsed = parseVersion(lowest.gitVersion);
  return {
    gitVersion: lowest.gitVersion,
    major: parsed?.major ?? 0,
    minor: parsed?.minor ?? 0,
    servers: rows,
  };
}

/** `v1.34.2`, `v1.34.2-gke.1005` → numbers; `null` for anything else. */
export function parseVersion(
  gitVersion: string,
): { readonly major: number; readonly minor: number; readonly patch: number } | null {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(gitVersion);
  if (match === null) return null;
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]) };
}

function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  // One that cannot be read says nothing about the lowest.
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return left.major - right.major || left.minor - right.minor || left.patch - right.patch;
}

import { compareVersions, parseVersion } from "../../kubernetes/version.ts";

/**
 * Whether an etcd can be asked for progress notifications, on which consistent reads from the cache rest: 3.4.31 and
 * later of 3.4, 3.5.13 and later. Not known counts as yes.
 * Source: apiserver pkg/storage/feature/feature_support_checker.go, v1.31.
 */
export function hasEtcdProgress(etcdVersion: string | null): boolean {
  const version = etcdVersion === null ? null : parseVersion(etcdVersion);
  if (version === null) return true;
  const first = version.major === 3 && version.minor === 4 ? FIRST_OF_3_4 : FIRST;
  return compareVersions(version, first) >= 0;
}

const FIRST_OF_3_4 = { major: 3, minor: 4, patch: 31, preRelease: null };
const FIRST = { major: 3, minor: 5, patch: 13, preRelease: null };

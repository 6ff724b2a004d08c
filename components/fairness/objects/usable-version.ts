import { parseVersion } from "@/lib/domain/kubernetes/version";

/** A version by whose rules something can be said: one that reads as such. A server may publish anything. */
export const usableVersion = (gitVersion: string | null): string | null =>
  gitVersion !== null && parseVersion(gitVersion) !== null ? gitVersion : null;

import { type InformerClient, informerClient } from "../../informers/clients.ts";
import { parseVersion } from "../../kubernetes/version.ts";
import type { AgentClient } from "../agent.ts";

/** The client library of an agent with its version, and what was assumed of it. */
export interface ResolvedClient {
  /** `null`: no library of the client-go family. */
  readonly informerClient: InformerClient | null;
  /** Clients of the Go family ask for compressed answers unless told otherwise. */
  readonly acceptsGzip: boolean;
  readonly assumption: string | null;
}

/** Taken where a version is not known: the last that lists and then watches by default. */
const ASSUMED = { "client-go": "0.34.0", "controller-runtime": "0.22.0" } as const;

/** `clusterVersion`: of Kubernetes' own components where theirs is not known. */
export function resolveClient(client: AgentClient, clusterVersion: string): ResolvedClient {
  const { library, version } = client;
  if (library === "other") {
    return { informerClient: null, acceptsGzip: client.acceptsGzip ?? false, assumption: null };
  }
  const acceptsGzip = client.acceptsGzip ?? true;
  const assumed =
    library === "client-go" || library === "controller-runtime" ? ASSUMED[library] : clusterVersion;
  const isUsable = version !== null && isUsableVersion(library, version);
  const assumption =
    isUsable || assumed === clusterVersion
      ? null
      : `The version of ${library} is not known: ${assumed} is taken.`;
  return { informerClient: informerClient(library, isUsable ? version : assumed), acceptsGzip, assumption };
}

function isUsableVersion(library: InformerClient["name"], version: string): boolean {
  const parsed = parseVersion(version);
  return parsed !== null && (library !== "controller-runtime" || parsed.major === 0);
}

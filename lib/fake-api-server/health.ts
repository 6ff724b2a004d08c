import type { Reply } from "./reply.ts";
import { textReply } from "./reply.ts";

export type HealthEndpoint = "healthz" | "livez" | "readyz";

/** Hooks that every server runs; names as it prints them after `poststarthook/`. */
const HOOKS = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
  "start-legacy-token-tracking-controller",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "aggregator-reload-proxy-client-cert",
  "start-kube-aggregator-informers",
  "apiservice-status-available-controller",
  "apiservice-registration-controller",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
  "apiservice-openapi-controller",
  "apiservice-openapiv3-controller",
];

/** Checks of an endpoint, in the order in which they are printed. Extra ones are KMS checks. */
export function healthChecks(endpoint: HealthEndpoint, minor: number, extra: readonly string[]): string[] {
  const kms = endpoint === "livez" && minor >= 29 ? [] : extra;
  return [
    "ping",
    "log",
    "etcd",
    ...(endpoint === "readyz" ? ["etcd-readiness"] : []),
    ...kms,
    ...(endpoint === "readyz" ? ["informer-sync"] : []),
    ...HOOKS.map((hook) => `poststarthook/${hook}`),
    "autoregister-completion",
    ...(endpoint !== "readyz" && minor >= 36 ? ["loopback-serving-certificate"] : []),
    ...(endpoint === "readyz" ? ["shutdown"] : []),
  ];
}

/**
 * `null` where the path is none of a health endpoint.
 * Source: apiserver pkg/server/healthz/healthz.go.
 */
export function healthReply(
  path: string,
  query: URLSearchParams,
  { minor, extra, failing }: { minor: number; extra: readonly string[]; failing: readonly string[] },
): Reply | null {
  const match = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path);
  if (!match) return null;
  const endpoint = match[1] as HealthEndpoint;
  const checks = healthChecks(endpoint, minor, extra);
  const single = match[2];
  if (single !== undefined) {
    if (!checks.includes(single)) return textReply("404 page not found\n", 404);
    return failing.includes(single)
      ? textReply(`internal server error: ${single} check failed\n`, 500)
      : textReply("ok");
  }
  const excluded = query.getAll("exclude");
  const lines: string[] = [];
  let isFailed = false;
  for (const check of checks) {
    if (excluded.includes(check)) lines.push(`[+]${check} excluded: ok`);
    else if (failing.includes(check)) {
      isFailed = true;
      lines.push(`[-]${check} failed: reason withheld`);
    } else lines.push(`[+]${check} ok`);
  }
  const unknown = excluded.filter((name) => !checks.includes(name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(",");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (isFailed) return textReply(`${[...lines, `${endpoint} check failed`].join("\n")}\n`, 500);
  return query.has("verbose")
    ? textReply(`${[...lines, `${endpoint} check passed`].join("\n")}\n`)
    : textReply("ok");
}

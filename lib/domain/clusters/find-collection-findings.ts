import { type ClusterFinding, compareFindings } from "./finding.ts";
import type { NotRead, PartName, PartState, ReadFailure } from "./part.ts";
import { describePermission, findPermission } from "./permissions.ts";
import { asSentence } from "./sentence.ts";
import type { ServersPart } from "./servers-part.ts";
import type { SizesPart } from "./version-part.ts";

export interface CollectionToAssess {
  /** First failed attempt of the present outage; `null` while the cluster answers. */
  readonly unreachableSince: number | null;
  /** True where a connection in use does not check the certificate of the API server. */
  readonly isInsecure: boolean;
  /** Parts attempted at least once; values are not needed. */
  readonly parts: readonly PartState<unknown>[];
  /** `null` where it was never read, or is not at hand (the fleet page reads no values). */
  readonly servers: ServersPart | null;
  readonly sizes: SizesPart | null;
}

const PART_TITLES: Readonly<Record<PartName, string>> = {
  version: "Version and gates",
  servers: "API servers",
  sizes: "Counts and sizes",
  fairness: "Fairness",
  inventory: "Inventory",
};

/** What a part is called in sentences: `Version and gates`, `Fairness`. */
export const describePart = (part: PartName): string => PART_TITLES[part];

/**
 * What stands between a cluster and its figures, sorted as findings are. An outage is one finding: what could not be
 * read because of it is not repeated part by part. Rules: `collector.unreachable`, `collector.insecure-tls`,
 * `collector.part-not-read`, `collector.stored-value-unreadable`, `collector.servers-not-read`, `collector.servers-not-told-apart`,
 * `collector.sizes-unknown`.
 */
export function findCollectionFindings(input: CollectionToAssess): readonly ClusterFinding[] {
  const findings: ClusterFinding[] = [];
  if (input.isInsecure) findings.push(INSECURE_TLS);
  if (input.unreachableSince !== null) {
    findings.push(describeOutage(input.parts, input.unreachableSince));
    return findings.sort(compareFindings);
  }
  for (const part of input.parts) {
    if (part.unreadable !== undefined) findings.push(describeUnreadable(part, part.unreadable));
    else if (part.latest.status !== "ok") findings.push(describePartNotRead(part));
  }
  const serversArePartial = input.parts.some(
    (each) => each.part === "servers" && each.latest.status !== "ok",
  );
  if (input.servers !== null && !serversArePartial) findings.push(...findServerFindings(input.servers));
  if (input.sizes !== null) findings.push(...findUnknownSizes(input.sizes));
  return findings.sort(compareFindings);
}

const INSECURE_TLS: ClusterFinding = {
  severity: "warning",
  rule: "collector.insecure-tls",
  title: "The certificate of the API server is not checked",
  subject: "insecure-skip-tls-verify",
  happens:
    "Whoever sits between Headroom and the API server can read the credential and change every figure on these pages. Put the CA into the kubeconfig (certificate-authority-data) and take insecure-skip-tls-verify out.",
  sinceAt: null,
};

function describeOutage(parts: readonly PartState<unknown>[], since: number): ClusterFinding {
  const latest = parts
    .filter((each) => each.latest.failure !== null)
    .sort((a, b) => b.latest.startedAt - a.latest.startedAt)[0];
  const cause = latest?.latest.failure?.message;
  return {
    severity: "error",
    rule: "collector.unreachable",
    title: "The cluster does not answer",
    subject: latest?.latest.failure?.path ?? "API server",
    happens: `${cause === undefined ? "No API server of it answers." : asSentence(cause)} Figures are the last known good ones; nothing newer is known until it answers.`,
    sinceAt: since,
  };
}

function describePartNotRead(part: PartState<unknown>): ClusterFinding {
  const { latest } = part;
  const name = describePart(part.part);
  const title = {
    ok: name,
    partial: `${name}: read in part`,
    failed: `${name}: not read`,
    skipped: `${name}: skipped`,
  }[latest.status];
  return {
    severity: "warning",
    rule: "collector.part-not-read",
    title,
    subject: part.part,
    happens: [
      ...describeMissing(latest.notRead, latest.failure),
      ...(latest.status === "partial" || part.valueAt === null
        ? []
        : ["The last known good values are shown."]),
    ].join(" "),
    sinceAt: latest.status === "partial" ? null : part.valueAt,
  };
}

function describeUnreadable(part: PartState<unknown>, what: string): ClusterFinding {
  return {
    severity: "warning",
    rule: "collector.stored-value-unreadable",
    title: `${describePart(part.part)} could not be read from the store`,
    subject: part.part,
    happens: `${asSentence(what)} Other parts are not affected; the next pass over this part replaces it.`,
    sinceAt: null,
  };
}

/** At most three things that are missing, by cause; then how many more there are. */
function describeMissing(notRead: readonly NotRead[], failure: ReadFailure | null): readonly string[] {
  const causes = new Map<string, string[]>();
  for (const each of notRead) {
    const cause = describeFailure(each.failure);
    causes.set(cause, [...(causes.get(cause) ?? []), each.what]);
  }
  if (causes.size === 0) return failure === null ? ["It is not known why."] : [describeFailure(failure)];
  const shown = [...causes].slice(0, 3).map(([cause, what]) => `Not read: ${listWords(what, 4)}. ${cause}`);
  return causes.size > 3 ? [...shown, `${causes.size - 3} more causes are listed part by part.`] : shown;
}

/**
 * A failure as a sentence that ends in a full stop. A 403 names the permission that is missing and what is lost
 * without it.
 */
export function describeFailure(failure: ReadFailure): string {
  const permission = failure.path === null ? null : findPermission(failure.path);
  if (failure.reason !== "forbidden" || permission === null) return asSentence(failure.message);
  const path = failure.path?.split("?", 1)[0];
  return `${failure.status ?? 403} on ${path}: the permission "${describePermission(permission)}" is missing. ${permission.withoutIt}`;
}

function findServerFindings(servers: ServersPart): readonly ClusterFinding[] {
  const read = servers.servers.filter((each) => each.access !== "not-read");
  if (servers.expectedServers === null) {
    return [
      {
        severity: "info",
        rule: "collector.servers-not-told-apart",
        title: "How many API servers there are is not known",
        subject: "API servers",
        happens: `${countServers(read.length)} answered behind the address. Neither the identity Leases nor the EndpointSlices could be read, so another one may stand behind it unseen.`,
        sinceAt: null,
      },
    ];
  }
  if (read.length >= servers.expectedServers) return [];
  const missing = servers.servers.filter((each) => each.access === "not-read").map((each) => each.name);
  return [
    {
      severity: "warning",
      rule: "collector.servers-not-read",
      title: `${read.length} of ${servers.expectedServers} API servers are read`,
      subject: missing.length === 0 ? "API servers" : listWords(missing, 4),
      happens:
        "Seats, limits and rejections of an API server that is not read are not known; figures are never summed over servers in its place.",
      sinceAt: null,
    },
  ];
}

function findUnknownSizes({ resources }: SizesPart): readonly ClusterFinding[] {
  const names = new Set<string>();
  const all = new Set<string>();
  for (const { group, resource, objects, storedBytes } of resources) {
    const name = group === "" ? resource : `${resource}.${group}`;
    all.add(name);
    // Versions without the metric have no stored size for anything: that is no gap of this cluster.
    const isSizeMissing = storedBytes.state === "unknown" && storedBytes.reason !== "not-published";
    if (objects.state === "unknown" || isSizeMissing) names.add(name);
  }
  if (names.size === 0) return [];
  return [
    {
      severity: "info",
      rule: "collector.sizes-unknown",
      title: `${names.size} of ${all.size} resources have no known count or size`,
      subject: listWords([...names].sort(), 3),
      happens:
        "The API server does not know them either and prices their LISTs by what it assumes, shown in their place. They come back within minutes of its start, or when an object changes.",
      sinceAt: null,
    },
  ];
}

const countServers = (count: number): string => (count === 1 ? "1 API server" : `${count} API servers`);

/** `a, b and c`; from `limit` on `a, b and 3 more`. */
export function listWords(words: readonly string[], limit: number): string {
  const shown =
    words.length > limit ? [...words.slice(0, limit - 1), `${words.length - limit + 1} more`] : words;
  const last = shown.at(-1) ?? "";
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(", ")} and ${last}`;
}

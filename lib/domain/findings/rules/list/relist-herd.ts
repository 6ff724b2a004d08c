import type { AuditEvent } from "../../../agents/audit-event.ts";
import { formatCount } from "../../../cost/format-figures.ts";
import { isGateEnabled } from "../../../kubernetes/feature-gates.ts";
import { parseVersion, ruleVersion } from "../../../kubernetes/version.ts";
import { clientOf, copyOf, KUBELETS, subjectOfClient } from "../../reads/client-subject.ts";
import { hasEtcdProgress, nameOfResource } from "../../reads/collection-sizes.ts";
import { requestOf } from "../../reads/parsed-request.ts";
import { asksInitialState, scopeOf } from "../../reads/read-ledger.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding, type StreamObserver } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";

/** Many copies lose their place in the watch history and list everything again at once. */
export const listRelistHerd: Rule = {
  name: "list.relist-herd",
  severity: "error",
  versions: ALL_VERSIONS,
  title: "Many clients list again together after 410 Gone",
  what: "Looks in an audit log for copies of one client (at least 5) whose WATCH or LIST ends with 410 and who then, within 30 s, list without resourceVersion. One wave is a warning, a second one that begins more than 5 minutes after the first an error. Waves of LISTs of one node's pods that the watch cache serves are left out.",
  why: "Every copy reads at the same moment, before 1.31 from etcd and in full: the API server is busiest right after the restart or the etcd leader change that caused it.",
  fix: "Use a client that starts its LIST at the resource version it last saw (client-go since 0.18) and asks for bookmarks, so that a watch survives a quiet resource; spread retries by jitter. From 1.31 the watch cache serves the LIST.",
  sources: [
    {
      text: "kubernetes/kubernetes#86483: reflectors list again from etcd after 410",
      url: "https://github.com/kubernetes/kubernetes/pull/86483",
    },
    { text: "kubernetes/kubernetes#100745", url: "https://github.com/kubernetes/kubernetes/issues/100745" },
    {
      text: "client-go tools/cache/reflector.go, v0.34",
      url: "https://github.com/kubernetes/client-go/blob/v0.34.0/tools/cache/reflector.go",
    },
  ],
  check: { kind: "stream", begin },
};

const CLIENTS_OF_A_HERD = 5;
/** From the 410 to the LIST: the back-off of a reflector, jitter included, and a bit of queueing. */
const RELIST_WITHIN_MS = 30_000;
const WAVE_MS = 300_000;
/** Bounds of what is kept. */
const HERDS_KEPT = 2000;
const COPIES_KEPT = 20_000;

interface Relist {
  readonly copy: string;
  readonly at: number;
}

interface Herd {
  readonly client: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly isWholeCollection: boolean;
  /** When a copy was last told 410. */
  readonly expired: Map<string, number>;
  expiredCount: number;
  readonly relists: Relist[];
}

function begin(facts: ScanFacts): StreamObserver {
  const herds = new Map<string, Herd>();
  return {
    auditEvent: (event) => takeEvent(herds, event),
    finish: () => ({ findings: describeAll([...herds.values()], facts) }),
  };
}

function takeEvent(herds: Map<string, Herd>, event: AuditEvent): void {
  const { verb, stage, responseCode, receivedAt } = event;
  if ((verb !== "list" && verb !== "watch") || stage === "RequestReceived" || receivedAt === null) return;
  const isExpired = responseCode === 410 || event.responseReason === "Expired";
  const isAnswered = responseCode === null || responseCode < 400;
  if (!isExpired && !isAnswered) return;
  const { info: request } = requestOf(event);
  const { options } = request;
  if (options === null || request.resource === "") return;
  const isLatest = options.resourceVersion === "" && options.continue === "";
  const isRelist = isAnswered && isLatest && (request.verb === "list" || asksInitialState(request));
  if (!isExpired && !isRelist) return;
  const client = clientOf(event.userName);
  const scope = scopeOf(request);
  const key = [client, request.apiGroup, request.resource, scope].join("\u0000");
  let herd = herds.get(key);
  if (herd === undefined) {
    if (!isExpired || herds.size >= HERDS_KEPT) return;
    herd = {
      client,
      apiGroup: request.apiGroup,
      resource: request.resource,
      isWholeCollection: scope === "cluster",
      expired: new Map(),
      expiredCount: 0,
      relists: [],
    };
    herds.set(key, herd);
  }
  const copy = identify(event, request.options?.fieldSelector ?? "", herd.client);
  if (isExpired) {
    herd.expiredCount++;
    if (herd.expired.has(copy) || herd.expired.size < COPIES_KEPT) herd.expired.set(copy, receivedAt);
    return;
  }
  const at = herd.expired.get(copy);
  if (at === undefined || receivedAt < at || receivedAt - at > RELIST_WITHIN_MS) return;
  herd.expired.delete(copy);
  if (herd.relists.length < COPIES_KEPT) herd.relists.push({ copy, at: receivedAt });
}

/** Where each copy asks for its own node that tells copies apart, else as elsewhere. */
const identify = (event: AuditEvent, fieldSelector: string, client: string) =>
  client !== KUBELETS && fieldSelector !== "" ? fieldSelector : copyOf(event);

function describeAll(herds: readonly Herd[], facts: ScanFacts): readonly RuleFinding[] {
  return herds.flatMap((herd) => {
    const waves = wavesOf(herd.relists).filter((copies) => copies.size >= CLIENTS_OF_A_HERD);
    if (waves.length === 0 || (!herd.isWholeCollection && servesLatestFromCache(facts))) return [];
    return [toFinding(herd, waves, facts)];
  });
}

/** Distinct copies of each wave; one ends when nobody has listed again for five minutes. */
function wavesOf(relists: readonly Relist[]): readonly ReadonlySet<string>[] {
  const waves: Set<string>[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const { copy, at } of relists.toSorted((a, b) => a.at - b.at)) {
    if (at - lastAt > WAVE_MS) waves.push(new Set());
    waves.at(-1)?.add(copy);
    lastAt = at;
  }
  return waves;
}

function servesLatestFromCache({ cluster }: ScanFacts): boolean {
  const v = cluster.kubernetesVersion;
  if (v === null || parseVersion(v) === null) return false;
  const version = ruleVersion(v);
  return (
    isGateEnabled("ConsistentListFromCache", version, cluster.featureGates) &&
    hasEtcdProgress(cluster) !== false
  );
}

function toFinding(herd: Herd, waves: readonly ReadonlySet<string>[], facts: ScanFacts): RuleFinding {
  const copies = Math.max(...waves.map(({ size }) => size));
  const name = nameOfResource(herd.apiGroup, herd.resource);
  const from = servesLatestFromCache(facts) ? "the watch cache" : "etcd";
  const times = waves.length === 1 ? "once" : `in ${waves.length} waves`;
  return {
    subject: subjectOfClient(herd.client, copies),
    severity: waves.length > 1 ? "error" : "warning",
    message: `${formatCount(copies)} copies were told 410 and listed ${name} without resourceVersion within ${RELIST_WITHIN_MS / 1000} s, ${times}; ${from} serves them.`,
    evidence: { grade: "measured", source: "audit log", observedAt: herd.relists.at(-1)?.at ?? null },
    figures: {
      resource: name,
      clients: copies,
      watch410: herd.expiredCount,
      relistsRvUnset: herd.relists.length,
      waves: waves.length,
    },
  };
}

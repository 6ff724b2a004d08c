import { formatCount } from "../../../cost/format-figures.ts";
import { subjectOfClient } from "../../reads/client-subject.ts";
import { type CollectionSize, nameOfResource } from "../../reads/collection-sizes.ts";
import { ledgerOf, type ReadClient, type ReadShape } from "../../reads/read-ledger.ts";
import { ALL_VERSIONS, type Rule, type RuleFinding, type StreamObserver } from "../../rule.ts";
import type { ScanFacts } from "../../scan-facts.ts";
import { copiesSeen, perMinute, servingOf } from "./serving-of.ts";

/** A page size that the API server passes over: the whole collection comes in one response. */
export const listLimitIgnored: Rule = {
  name: "list.limit-ignored",
  severity: "warning",
  versions: ALL_VERSIONS,
  title: "A LIST with a limit gets the whole collection",
  what: "Looks in an audit log at LISTs that ask for pages (limit) and are served from the watch cache at resourceVersion 0, where the limit is passed over. Reports those whose one response holds at least 1,000 objects and four pages, or 50 MB.",
  why: "The response is built, sent and parsed at once: memory of the API server and of the client grows with the collection, and the limit only looks like a bound. Since 1.34 the limit lowers the price in seats all the same.",
  fix: "Say which objects are needed (namespace, selector). To page from etcd or a snapshot leave resourceVersion out (before 1.31 that is a read of etcd, page by page); resourceVersion=0 has no pages in any version.",
  sources: [
    {
      text: "Kubernetes API concepts, semantics for get and list",
      url: "https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list",
    },
    {
      text: "kubernetes/apiserver pkg/storage/cacher/cacher.go, v0.26 to v0.37: a limit is not looked at for resourceVersion 0",
      url: "https://github.com/kubernetes/apiserver/blob/v0.34.0/pkg/storage/cacher/cacher.go",
    },
  ],
  check: { kind: "stream", begin },
};

/** Below it a whole collection costs no more than a page does. */
const OBJECTS_WORTH_PAGES = 1000;
const PAGES_IN_ONE = 4;
const BYTES_WORTH_PAGES = 50_000_000;

function begin(facts: ScanFacts): StreamObserver {
  const ledger = ledgerOf(facts);
  return {
    auditEvent: (event) => ledger.take(event),
    finish: () => ({ findings: [...ledger.clients.values()].flatMap((client) => check(client, facts)) }),
  };
}

interface Unpaged {
  readonly shape: ReadShape;
  readonly size: CollectionSize;
}

function check(client: ReadClient, facts: ScanFacts): readonly RuleFinding[] {
  const unpaged = [...client.shapes.values()]
    .flatMap((shape) => judge(shape, facts))
    .sort((a, b) => (b.size.objects ?? 0) - (a.size.objects ?? 0));
  const [worst] = unpaged;
  if (worst === undefined) return [];
  const { shape, size } = worst;
  const name = nameOfResource(shape.apiGroup, shape.resource);
  const agents = copiesSeen(shape.copies.size, facts.cluster.nodes);
  const limit = shape.request.options?.limit ?? 0;
  const bytes = size.storedBytes === null ? "" : ` (${formatCount(size.storedBytes)} bytes as stored)`;
  return [
    {
      subject: subjectOfClient(client.name, shape.copies.size),
      message: `LISTs of ${name} ask for pages of ${formatCount(limit)} at resourceVersion 0 and get ${formatCount(size.objects ?? 0)} objects${bytes} in one response.`,
      evidence: { grade: "measured", source: "audit log", observedAt: shape.lastAt },
      figures: {
        resource: name,
        limit,
        lists: shape.count,
        agents,
        listsPerAgent: agents === 0 ? null : shape.count / agents,
        listsPerMinute: perMinute(shape),
        objectsPerList: size.objects,
        objectsTotal: size.objects === null ? null : size.objects * shape.count,
        bytesPerUnpagedList: size.storedBytes,
      },
      related: unpaged
        .slice(1)
        .map(
          (each) =>
            `${nameOfResource(each.shape.apiGroup, each.shape.resource)}: ${formatCount(each.size.objects ?? 0)} objects`,
        ),
    },
  ];
}

function judge(shape: ReadShape, facts: ScanFacts): readonly Unpaged[] {
  const limit = shape.request.options?.limit ?? 0;
  if (limit <= 0 || shape.scope !== "cluster" || shape.hasLabelSelector) return [];
  const served = servingOf(shape, facts);
  // Without a version: the cache has passed over a limit at resource version 0 in all of them.
  if (served === null) return [];
  const { serving, size } = served;
  if (serving.source !== "cache" || serving.isLimitHonoured || size.objects === null) return [];
  const isMany = size.objects >= OBJECTS_WORTH_PAGES && size.objects >= PAGES_IN_ONE * limit;
  const isLarge = size.objects > limit && (size.storedBytes ?? 0) >= BYTES_WORTH_PAGES;
  return isMany || isLarge ? [{ shape, size }] : [];
}

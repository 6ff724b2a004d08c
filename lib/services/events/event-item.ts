import type { EventItem } from "../../contracts/common.ts";
import type { StoredEvent } from "../../db/store.ts";
import type { EventKind } from "../../domain/clusters/event.ts";
import { clusterPath } from "../clusters/describe-worst.ts";

/** An event as pages show it. */
export function toEventItem(event: StoredEvent): EventItem {
  const { id, clusterId, clusterName, kind, severity, at, subject, lead, text, before, after, isGenerated } =
    event;
  return { id, clusterId, clusterName, kind, severity, at, subject, lead, text, before, after, isGenerated };
}

/** The page that shows what an event changed, and what its link says. */
export function eventLink(event: { readonly kind: EventKind; readonly clusterId: string }): {
  readonly href: string;
  readonly hrefLabel: string;
} {
  const path = clusterPath(event.clusterId);
  switch (event.kind) {
    case "flow-schema-added":
    case "flow-schema-removed":
    case "flow-schema-changed":
    case "priority-level-added":
    case "priority-level-removed":
    case "priority-level-changed":
    case "rejections-started":
    case "rejections-ended":
      return { href: `${path}/fairness`, hrefLabel: "Open fairness" };
    case "agent-dearer":
    case "agent-verdict-changed":
      return { href: `${path}/fan-out`, hrefLabel: "Open fan-out" };
    case "cluster-renamed":
    case "context-repointed":
      return { href: "/settings/clusters", hrefLabel: "Open settings" };
    case "node-count-changed":
    case "api-server-restarted":
    case "agent-added":
    case "agent-removed":
    case "agent-image-changed":
    case "crd-added":
    case "crd-removed":
      return { href: `${path}/history`, hrefLabel: "Open history" };
    case "version-changed":
    case "feature-gates-changed":
    case "api-service-added":
    case "api-service-removed":
    case "cluster-unreachable":
    case "cluster-back":
      return { href: path, hrefLabel: "Open overview" };
    default:
      return assertNever(event.kind);
  }
}

function assertNever(kind: never): never {
  throw new Error(`unknown kind of event ${String(kind)}`);
}

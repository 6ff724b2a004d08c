import type { ClustersQuery, ClustersResponse } from "../../contracts/clusters.ts";
import { compareText } from "../../domain/clusters/finding.ts";
import { AppError } from "../../errors.ts";
import type { ServiceContext } from "../context.ts";
import { type FleetCluster, loadFleet } from "./load-fleet.ts";

/** Clusters by name, a page at a time. */
export async function listClusters(
  context: ServiceContext,
  { query }: { readonly query: ClustersQuery },
): Promise<ClustersResponse> {
  const after = query.cursor === undefined ? null : parseCursor(query.cursor);
  const { clusters, frame } = await loadFleet(context);
  const rest = [...clusters]
    .sort(compareNames)
    .filter((each) => after === null || comparePosition(each, after) > 0);
  const page = rest.slice(0, query.limit);
  const last = page.at(-1);
  return {
    now: frame.now,
    clusters: page.map(toItem),
    nextCursor: rest.length > page.length && last !== undefined ? makeCursor(last) : null,
  };
}

function toItem({
  cluster,
  assessment,
  summary,
  dataAt,
}: FleetCluster): ClustersResponse["clusters"][number] {
  const { id, uid, name, role, labels, isDemo, unreachableSince } = cluster;
  return {
    clusterId: id,
    uid,
    name,
    role,
    labels: { ...labels },
    isDemo,
    state: assessment.state,
    version: summary?.gitVersion ?? null,
    nodes: summary?.nodes ?? null,
    dataAt,
    unreachableSince,
  };
}

interface Position {
  readonly name: string;
  readonly id: string;
}

const positionOf = ({ cluster }: FleetCluster): Position => ({ name: cluster.name, id: cluster.id });

function compareNames(a: FleetCluster, b: FleetCluster): number {
  return comparePosition(a, positionOf(b));
}

function comparePosition(a: FleetCluster, b: Position): number {
  return compareText(a.cluster.name, b.name) || compareText(a.cluster.id, b.id);
}

function makeCursor(last: FleetCluster): string {
  const { name, id } = positionOf(last);
  return Buffer.from(JSON.stringify([name, id])).toString("base64url");
}

function parseCursor(cursor: string): Position {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "string") {
      return { name: value[0], id: value[1] };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new AppError("invalid-input", "The cursor is none that this list gave.", {
    issues: [{ where: "cursor", expected: "nextCursor of the page before" }],
  });
}

import type { z } from "zod";
import type { ResourceSizeRowSchema, Server } from "../../contracts/cluster.ts";
import { compareText } from "../../domain/clusters/finding.ts";
import type { Reading } from "../../domain/clusters/reading.ts";
import type { ResourceSize, SizesPart } from "../../domain/clusters/version-part.ts";

type ResourceSizeRow = z.infer<typeof ResourceSizeRowSchema>;

/**
 * One row per resource as one server holds it: the preferred server where it knows the resource, else the first by
 * name. Largest stored bytes first, known or assumed by the API server, then most objects; what is neither comes last. Never a sum over servers.
 */
export function rankResources(
  sizes: SizesPart | null,
  servers: readonly Server[],
  preferredServerId: string | undefined,
): ResourceSizeRow[] {
  const names = new Map(servers.map((each) => [each.id, each.name]));
  const order = [preferredServerId, ...servers.map((each) => each.id)];
  const chosen = new Map<string, ResourceSize>();
  for (const each of sizes?.resources ?? []) {
    const key = `${each.group}/${each.resource}`;
    const present = chosen.get(key);
    if (present === undefined || rank(order, each) < rank(order, present)) chosen.set(key, each);
  }
  return [...chosen.values()]
    .sort(
      (a, b) =>
        value(b.storedBytes) - value(a.storedBytes) ||
        value(b.objects) - value(a.objects) ||
        compareText(a.group, b.group) ||
        compareText(a.resource, b.resource),
    )
    .map(({ group, resource, serverId, objects, storedBytes }) => ({
      group,
      resource,
      serverName: names.get(serverId) ?? serverId,
      objects: { ...objects },
      storedBytes: { ...storedBytes },
    }));
}

function rank(order: readonly (string | undefined)[], { serverId }: ResourceSize): number {
  const index = order.indexOf(serverId);
  return index < 0 ? order.length : index;
}

/** A collection whose size is not known is priced by what the API server assumes, so it stands where that puts it. */
const value = (reading: Reading): number =>
  reading.state === "known" ? reading.value : (reading.assumed ?? -1);

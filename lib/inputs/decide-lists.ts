import {
  decideClusterWideLists,
  parseListingRole,
  parseServiceAccountBinding,
} from "../collector/inventory/decide-cluster-wide-lists.ts";
import type { ClusterWideList } from "../domain/clusters/inventory-part.ts";
import type { ObjectIndex, ScannedObject } from "../domain/findings/index.ts";

/** What the API server grants without a ClusterRole in anybody's manifests. */
const BUILT_IN_ROLES = [{ name: "cluster-admin", resources: ["*"] }];

/** Who may list something in the whole cluster by the RBAC that was given; `null` where none was. */
export function decideListsOf(objects: ObjectIndex): readonly ClusterWideList[] | null {
  const roles = objects.ofKind("ClusterRole");
  const bindings = objects.ofKind("ClusterRoleBinding");
  if (roles.length === 0 && bindings.length === 0) return null;
  return decideClusterWideLists(
    [...BUILT_IN_ROLES, ...roles.flatMap((each) => parseOrNone(parseListingRole, each))],
    bindings.flatMap((each) => parseOrNone(parseServiceAccountBinding, each)),
  );
}

/** An object that the API server would refuse grants nothing. */
function parseOrNone<Parsed>(
  parse: (value: unknown) => Parsed | null,
  { body }: ScannedObject,
): readonly Parsed[] {
  try {
    const parsed = parse(body);
    return parsed === null ? [] : [parsed];
  } catch (error) {
    if (error instanceof Error && error.name.endsWith("ZodError")) return [];
    throw error;
  }
}

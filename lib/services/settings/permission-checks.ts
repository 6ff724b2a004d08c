import type { PermissionCheck } from "../../contracts/settings.ts";
import type { PermissionState } from "../../db/store.ts";
import { describePermission, PERMISSIONS } from "../../domain/clusters/permissions.ts";

/** Every permission of the minimal ClusterRole with what the collector last met; `not-tried` where it never asked. */
export function toPermissionChecks(states: Readonly<Record<string, PermissionState>>): PermissionCheck[] {
  return PERMISSIONS.map((permission) => {
    const met = states[permission.id];
    return {
      id: permission.id,
      permission: describePermission(permission),
      state: met?.state ?? "not-tried",
      at: met?.at ?? null,
      withoutIt: permission.withoutIt,
    };
  });
}

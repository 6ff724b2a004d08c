import { findPermission } from "../../domain/clusters/permissions.ts";

export type MetPermissions = Readonly<
  Record<string, { readonly state: "granted" | "refused"; readonly at: number }>
>;

/** Notes which permissions of the minimal role a pass met, as granted or refused. */
export interface PermissionRecorder {
  granted(path: string): void;
  refused(path: string): void;
  read(): MetPermissions;
}

/** A permission met both ways in one pass (two API servers that differ) counts as refused. */
export function createPermissionRecorder(now: () => number): PermissionRecorder {
  const met = new Map<string, { readonly state: "granted" | "refused"; readonly at: number }>();
  const note = (path: string, state: "granted" | "refused") => {
    const permission = findPermission(path);
    if (permission === null || met.get(permission.id)?.state === "refused") return;
    met.set(permission.id, { state, at: now() });
  };
  return {
    granted: (path) => note(path, "granted"),
    refused: (path) => note(path, "refused"),
    read: () => Object.fromEntries(met),
  };
}

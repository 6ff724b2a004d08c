import type { ControlPlane } from "./control-plane.ts";

/** What the tests here read of an API object; the rest is theirs to compare. */
export interface ObjectShape {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface ListShape {
  readonly metadata: { readonly remainingItemCount?: number; readonly resourceVersion: string };
  readonly items: readonly ObjectShape[];
}

/** The parsed answer, which must be a success. The caller names the shape of what it asked for. */
export async function readJson<T>(bed: ControlPlane, path: string): Promise<T> {
  const { status, text } = await bed.request({ path });
  if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

export function listPage(bed: ControlPlane, path: string): Promise<ListShape> {
  return readJson<ListShape>(bed, path);
}

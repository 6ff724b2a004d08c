import { AppError } from "../../errors.ts";
import { forgetFleetUnderWay } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";

/**
 * Removes a connection that the page added.
 * @throws AppError `not-found`; `conflict` for one that is named elsewhere and would come back at the next start.
 */
export async function removeTarget(
  context: ServiceContext,
  { targetId }: { readonly targetId: string },
): Promise<{ readonly targetId: string }> {
  const { store, clock } = context;
  const target = (await store.clusters.listTargets()).find(
    (each) => each.id === targetId && each.removedAt === null,
  );
  if (target === undefined) {
    throw new AppError("not-found", "No connection has this id. It may have been removed meanwhile.");
  }
  if (target.source !== "page") {
    throw new AppError(
      "conflict",
      "This connection was not added on the page. Remove it where it is named; otherwise it would come back at the next start.",
    );
  }
  await store.clusters.removeTarget(targetId, clock.now());
  forgetFleetUnderWay(context);
  return { targetId };
}

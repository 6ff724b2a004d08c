import type { z } from "zod";
import { resolvePath } from "../../config/load-config.ts";
import type { AddTargetRequest, AddTargetResponseSchema } from "../../contracts/settings.ts";
import { AppError } from "../../errors.ts";
import { forgetFleetUnderWay } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";

/**
 * Adds a cluster by the path of a kubeconfig on this machine and a context in it. Only the path is stored; the
 * collector reads the file, and starts no exec plugin that a file named here asks for.
 * @throws AppError `conflict` where the page already names this path and context.
 */
export async function addTarget(
  context: ServiceContext,
  request: AddTargetRequest,
): Promise<z.infer<typeof AddTargetResponseSchema>> {
  const { store, clock, config } = context;
  const kubeconfigPath = resolvePath(config.workingDirectory, request.kubeconfigPath);
  const present = (await store.clusters.listTargets()).find(
    (each) =>
      each.removedAt === null &&
      each.source === "page" &&
      each.kubeconfigPath === kubeconfigPath &&
      each.context === request.context,
  );
  if (present !== undefined) {
    throw new AppError("conflict", "This context of this kubeconfig was added before.", {
      issues: [{ where: "context", expected: "a context that is not in the list yet" }],
    });
  }
  const name = request.name ?? request.context;
  const labels = config.clusters.labels[name] ?? {};
  const target = await store.clusters.addTarget(
    {
      source: "page",
      kubeconfigPath,
      context: request.context,
      name,
      role: request.role ?? labels.role ?? null,
      labels,
      isInsecure: false,
      isDemo: false,
    },
    clock.now(),
  );
  forgetFleetUnderWay(context);
  return { targetId: target.id, clusterId: target.clusterId };
}

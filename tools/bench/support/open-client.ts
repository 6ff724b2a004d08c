import type { GuardCapabilities } from "../../../lib/kube/guard.ts";
import {
  type ApiServerClient,
  ClusterBudget,
  createApiServerClient,
  loadKubeconfig,
  systemClock,
} from "../../../lib/kube/index.ts";
import { atEnd } from "./clean-up.ts";

const UNLIMITED = 1_000_000_000_000;

/** A client of the first context of a kubeconfig, without the budget: a bench measures the reader, not the guest. */
export async function openClient(
  kubeconfigPath: string,
  capabilities: GuardCapabilities = {},
): Promise<ApiServerClient> {
  const { targets, problems } = await loadKubeconfig({ paths: [kubeconfigPath], source: "flag" });
  const [target] = targets;
  if (target === undefined) throw problems[0] ?? new Error("the kubeconfig has no context");
  const client = createApiServerClient({
    target,
    budget: new ClusterBudget({
      clock: systemClock,
      limits: { requestsPerMinute: 1_000_000, bytesPerMinute: UNLIMITED },
      serverRate: { requestsPerMinute: 1_000_000, burstRequests: 1_000_000 },
    }),
    capabilities,
  });
  atEnd(() => client.close());
  return client;
}

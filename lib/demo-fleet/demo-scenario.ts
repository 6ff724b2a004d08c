import type { FlowControl } from "../fake-api-server/flow-control-objects.ts";
import { parseKubernetesVersion } from "../fake-api-server/kubernetes-version.ts";
import { nodeName } from "../fake-api-server/objects/nodes.ts";
import type { ClusterScenario } from "../fake-api-server/scenario.ts";
import { composeScenario, LEASE_DELAY_MS } from "../fake-api-server/scenario-builder.ts";
import { controlPlanePods, standardCounts } from "../fake-api-server/scenarios.ts";
import { demoApiServices, demoCustomResources, demoWebhooks } from "./demo-extensions.ts";
import { demoLoad } from "./demo-load.ts";
import { demoOpenApi } from "./demo-open-api.ts";
import { demoWorkloads } from "./demo-workloads.ts";
import { type ClusterPlan, serverNames } from "./fleet-plan.ts";
import { isServerDown, nodesAt, podsAt, type Stories, serverStartedAt, windowAt } from "./stories.ts";

const DAY_MS = 86_400_000;

/** One cluster of the demo fleet as the fake API server plays it. */
export function demoScenario(plan: ClusterPlan, stories: Stories, seed: string): ClusterScenario {
  const { anchorAt } = stories;
  const { minor } = parseKubernetesVersion(plan.kubernetesVersion);
  const [first = plan.name, ...others] = serverNames(plan);
  const liveness = plan.name === "payments-eu" ? "/healthz" : "/livez";
  const staticPods = serverNames(plan).flatMap((_, index) =>
    controlPlanePods(nodeName(plan.name, index), plan.kubernetesVersion, liveness),
  );
  return composeScenario({
    name: plan.name,
    seed,
    kubernetesVersion: plan.kubernetesVersion,
    createdAt: anchorAt - (220 + (plan.nodes % 300)) * DAY_MS,
    serverNames: [first, ...others],
    nodesAt: (at) => nodesAt(plan, anchorAt, at),
    podsAt: (at) => Math.max(0, podsAt(plan, anchorAt, at) - staticPods.length),
    podStoredBytes: plan.podStoredBytes,
    nodeStoredBytes: 9100,
    namespaces: plan.namespaces,
    counts: standardCounts(plan.nodes, minor).map((row) =>
      // The slices of default/kubernetes come on top, one per server.
      row.resource === "endpointslices" && typeof row.count === "number"
        ? { ...row, count: row.count - plan.servers }
        : row,
    ),
    workloads: demoWorkloads(plan, stories),
    staticPods,
    apiServices: demoApiServices(plan, anchorAt),
    webhooks: demoWebhooks(),
    customResources: demoCustomResources(plan),
    flowControl: (defaults) => driftOf(plan, defaults),
    load: (levels) => demoLoad(plan, stories, levels, minor),
    // The upgrade of prod-us-east replaced its machines, and their Leases with them.
    ...(plan.name === "prod-us-east"
      ? {
          leaseCreatedAt: (server: number) =>
            serverStartedAt(plan, stories, server, anchorAt) + LEASE_DELAY_MS,
        }
      : {}),
    availabilityAt: (server, at) => {
      if (plan.name === "edge-ap-south" && windowAt(stories.unreachable, at) !== null) return "hang";
      return isServerDown(plan, stories, server, at) ? "reset" : "serving";
    },
    ...(plan.role === "payments" ? { extraChecks: ["kms-providers"] } : {}),
    openApi: demoOpenApi(plan),
  });
}

/** Where a cluster's flow control objects differ from the defaults of its version. */
function driftOf(plan: ClusterPlan, defaults: FlowControl): FlowControl {
  const withoutAutoUpdate = (name: string) =>
    defaults.flowSchemas.map((schema) => (schema.name === name ? { ...schema, autoUpdate: false } : schema));
  switch (plan.name) {
    case "ml-us-east":
      return {
        ...defaults,
        flowSchemas: [
          ...withoutAutoUpdate("service-accounts"),
          groupSchema("legacy-exempt", 5, "platform-admins", "exempt"),
        ],
      };
    case "prod-us-west":
      return {
        ...defaults,
        flowSchemas: [...defaults.flowSchemas, groupSchema("reporting", 8500, "reporting", "global-default")],
      };
    case "prod-ap-east":
      return { ...defaults, flowSchemas: withoutAutoUpdate("kube-system-service-accounts") };
    default:
      return defaults;
  }
}

/** A FlowSchema somebody added: everything a group does goes to one level. */
function groupSchema(name: string, matchingPrecedence: number, group: string, level: string) {
  return {
    name,
    autoUpdate: null,
    mandatory: false,
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      distinguisherMethod: { type: "ByUser" },
      rules: [
        {
          subjects: [{ kind: "Group", group: { name: group } }],
          resourceRules: [
            { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
          ],
          nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        },
      ],
    },
  };
}

import type {
  ApiServiceSpec,
  CustomResourceSpec,
  WebhookSpec,
} from "../fake-api-server/objects/extensions.ts";
import type { ClusterPlan } from "./fleet-plan.ts";

const service = (namespace: string, name: string) => ({ namespace, name });

export function demoApiServices(plan: ClusterPlan, anchorAt: number): ApiServiceSpec[] {
  const services: ApiServiceSpec[] = [
    {
      group: "metrics.k8s.io",
      version: "v1beta1",
      service: service("kube-system", "metrics-server"),
      isAvailable: true,
    },
  ];
  if (plan.name === "data-eu-west") {
    services.push({
      group: "visibility.queueing.example.io",
      version: "v1beta1",
      service: service("queueing-system", "queue-visibility"),
      isAvailable: true,
      registeredAt: anchorAt - 101 * 60_000,
    });
  }
  if (plan.name === "stage-eu-west") {
    services.push({
      group: "visibility.queueing.example.io",
      version: "v1beta1",
      service: service("queueing-system", "queue-visibility"),
      isAvailable: true,
    });
  }
  if (plan.name === "edge-us-central") {
    services.push({
      group: "external.metrics.k8s.io",
      version: "v1beta1",
      service: service("autoscaling", "external-metrics"),
      isAvailable: false,
      registeredAt: anchorAt - 19 * 86_400_000,
    });
  }
  return services;
}

export function demoWebhooks(): WebhookSpec[] {
  return [
    {
      kind: "MutatingWebhookConfiguration",
      name: "sidecar-injector",
      service: service("mesh", "sidecar-injector"),
      failurePolicy: "Fail",
      timeoutSeconds: 10,
      resources: ["pods"],
    },
    {
      kind: "ValidatingWebhookConfiguration",
      name: "cert-manager",
      service: service("cert-manager", "cert-manager"),
      failurePolicy: "Fail",
      timeoutSeconds: 30,
      resources: ["certificates"],
    },
    {
      kind: "ValidatingWebhookConfiguration",
      name: "image-policy",
      service: service("security", "image-policy"),
      failurePolicy: "Ignore",
      timeoutSeconds: 5,
      resources: ["pods", "deployments"],
    },
  ];
}

export function demoCustomResources(plan: ClusterPlan): CustomResourceSpec[] {
  const resource = (
    group: string,
    version: string,
    kind: string,
    name: string,
    count: number,
    bytes: number,
    namespaced = true,
  ): CustomResourceSpec => ({
    group,
    version,
    kind,
    resource: name,
    namespaced,
    count: Math.round(count),
    storedBytesEach: bytes,
  });
  const common = [
    resource("cert-manager.io", "v1", "Certificate", "certificates", 20 + plan.nodes * 0.1, 2100),
    resource(
      "argoproj.io",
      "v1alpha1",
      "Application",
      "applications",
      plan.name === "data-eu-west" ? 86 : 24 + plan.nodes * 0.05,
      14_000,
    ),
  ];
  const network =
    plan.networkAgent === "cilium"
      ? [resource("cilium.io", "v2", "CiliumNode", "ciliumnodes", plan.nodes, 1900, false)]
      : [];
  if (plan.name !== "data-eu-west" && plan.name !== "stage-eu-west") return [...common, ...network];
  const kinds = [
    "AdmissionCheck",
    "ClusterQueue",
    "Cohort",
    "LocalQueue",
    "ResourceFlavor",
    "Topology",
    "Workload",
  ];
  const queueing = kinds.map((kind) =>
    resource(
      "queueing.example.io",
      "v1beta1",
      kind,
      `${kind.toLowerCase()}s`,
      kind === "Workload" ? 1200 : 20,
      1600,
      kind === "LocalQueue" || kind === "Workload",
    ),
  );
  return [...common, ...network, ...queueing];
}

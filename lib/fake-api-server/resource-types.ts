/** A resource an API server serves, and from and until which minor under which version. */
export interface ResourceType {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Preferred first. `[version, first minor, last minor]`. */
  readonly versions: readonly (readonly [version: string, since: number, until: number])[];
  /** Objects are stored as JSON and served by the custom resource handler, which orders its lists differently. */
  readonly isCustom?: boolean;
  /** kube-apiserver keeps no watch cache for it: always read from etcd, never a size. */
  readonly isUncached?: boolean;
}

const ALL = [26, 99] as const;
const type = (
  group: string,
  resource: string,
  kind: string,
  namespaced: boolean,
  versions: ResourceType["versions"] = [["v1", ...ALL]],
): ResourceType => ({ group, resource, kind, namespaced, versions });

const RBAC = "rbac.authorization.k8s.io";
const STORAGE = "storage.k8s.io";
const ADMISSION = "admissionregistration.k8s.io";
export const FLOW_CONTROL_GROUP = "flowcontrol.apiserver.k8s.io";

/** Built-in resources of 1.26 to 1.37 that this server knows. */
export const BUILT_IN_TYPES: readonly ResourceType[] = [
  type("", "configmaps", "ConfigMap", true),
  type("", "endpoints", "Endpoints", true),
  { ...type("", "events", "Event", true), isUncached: true },
  type("", "limitranges", "LimitRange", true),
  type("", "namespaces", "Namespace", false),
  type("", "nodes", "Node", false),
  type("", "persistentvolumeclaims", "PersistentVolumeClaim", true),
  type("", "persistentvolumes", "PersistentVolume", false),
  type("", "pods", "Pod", true),
  type("", "podtemplates", "PodTemplate", true),
  type("", "replicationcontrollers", "ReplicationController", true),
  type("", "resourcequotas", "ResourceQuota", true),
  type("", "secrets", "Secret", true),
  type("", "serviceaccounts", "ServiceAccount", true),
  type("", "services", "Service", true),
  type(ADMISSION, "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", false),
  type(ADMISSION, "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", false),
  type("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", false),
  type("apiregistration.k8s.io", "apiservices", "APIService", false),
  type("apps", "controllerrevisions", "ControllerRevision", true),
  type("apps", "daemonsets", "DaemonSet", true),
  type("apps", "deployments", "Deployment", true),
  type("apps", "replicasets", "ReplicaSet", true),
  type("apps", "statefulsets", "StatefulSet", true),
  type("autoscaling", "horizontalpodautoscalers", "HorizontalPodAutoscaler", true, [
    ["v2", ...ALL],
    ["v1", ...ALL],
  ]),
  type("batch", "cronjobs", "CronJob", true),
  type("batch", "jobs", "Job", true),
  type("certificates.k8s.io", "certificatesigningrequests", "CertificateSigningRequest", false),
  type("coordination.k8s.io", "leases", "Lease", true),
  type("discovery.k8s.io", "endpointslices", "EndpointSlice", true),
  type(FLOW_CONTROL_GROUP, "flowschemas", "FlowSchema", false, [
    ["v1", 29, 99],
    ["v1beta3", 26, 31],
    ["v1beta2", 26, 28],
  ]),
  type(FLOW_CONTROL_GROUP, "prioritylevelconfigurations", "PriorityLevelConfiguration", false, [
    ["v1", 29, 99],
    ["v1beta3", 26, 31],
    ["v1beta2", 26, 28],
  ]),
  type("networking.k8s.io", "ingresses", "Ingress", true),
  type("networking.k8s.io", "ingressclasses", "IngressClass", false),
  type("networking.k8s.io", "networkpolicies", "NetworkPolicy", true),
  type("node.k8s.io", "runtimeclasses", "RuntimeClass", false),
  type("policy", "poddisruptionbudgets", "PodDisruptionBudget", true),
  type(RBAC, "clusterrolebindings", "ClusterRoleBinding", false),
  type(RBAC, "clusterroles", "ClusterRole", false),
  type(RBAC, "rolebindings", "RoleBinding", true),
  type(RBAC, "roles", "Role", true),
  type("scheduling.k8s.io", "priorityclasses", "PriorityClass", false),
  type(STORAGE, "csidrivers", "CSIDriver", false),
  type(STORAGE, "csinodes", "CSINode", false),
  type(STORAGE, "csistoragecapacities", "CSIStorageCapacity", true),
  type(STORAGE, "storageclasses", "StorageClass", false),
  type(STORAGE, "volumeattachments", "VolumeAttachment", false),
];

/** Versions under which this minor serves the type, preferred first; empty where it does not. */
export function servedVersions(resourceType: ResourceType, minor: number): string[] {
  return resourceType.versions.filter(([, since, until]) => since <= minor && minor <= until).map(([v]) => v);
}

/** `pods`, `deployments.apps`: the key of the API server's statistics and of `apiserver_storage_objects`. */
export function groupResource(resourceType: Pick<ResourceType, "group" | "resource">): string {
  return resourceType.group === "" ? resourceType.resource : `${resourceType.resource}.${resourceType.group}`;
}

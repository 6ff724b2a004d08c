/**
 * Resources that a kube-apiserver serves by itself and that can be listed, by group; some come and go with the version.
 * Source: kubernetes pkg/registry/*\/rest/storage_*.go, v1.26 to v1.37.
 */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  "": [
    "componentstatuses",
    "configmaps",
    "endpoints",
    "events",
    "limitranges",
    "namespaces",
    "nodes",
    "persistentvolumeclaims",
    "persistentvolumes",
    "pods",
    "podtemplates",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
    "services",
  ],
  "admissionregistration.k8s.io": [
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
    "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
  ],
  "apiextensions.k8s.io": ["customresourcedefinitions"],
  "apiregistration.k8s.io": ["apiservices"],
  apps: ["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"],
  autoscaling: ["horizontalpodautoscalers"],
  batch: ["cronjobs", "jobs"],
  "certificates.k8s.io": ["certificatesigningrequests", "clustertrustbundles", "podcertificaterequests"],
  "coordination.k8s.io": ["leasecandidates", "leases"],
  "discovery.k8s.io": ["endpointslices"],
  "events.k8s.io": ["events"],
  "flowcontrol.apiserver.k8s.io": ["flowschemas", "prioritylevelconfigurations"],
  "internal.apiserver.k8s.io": ["storageversions"],
  "networking.k8s.io": ["ingressclasses", "ingresses", "ipaddresses", "networkpolicies", "servicecidrs"],
  "node.k8s.io": ["runtimeclasses"],
  policy: ["poddisruptionbudgets"],
  "rbac.authorization.k8s.io": ["clusterrolebindings", "clusterroles", "rolebindings", "roles"],
  "resource.k8s.io": [
    "deviceclasses",
    "devicetaintrules",
    "podschedulingcontexts",
    "resourceclaims",
    "resourceclaimtemplates",
    "resourceslices",
  ],
  "scheduling.k8s.io": ["priorityclasses", "workloads"],
  "storage.k8s.io": [
    "csidrivers",
    "csinodes",
    "csistoragecapacities",
    "storageclasses",
    "volumeattachments",
    "volumeattributesclasses",
  ],
  "storagemigration.k8s.io": ["storageversionmigrations"],
};

/** Whether a kube-apiserver of some known version serves it by itself; else a CRD or another API server does. */
export function isBuiltInResource(apiGroup: string, resource: string): boolean {
  return isBuiltInGroup(apiGroup) && (BUILT_IN[apiGroup] ?? []).includes(resource);
}

export const isBuiltInGroup = (apiGroup: string) => Object.hasOwn(BUILT_IN, apiGroup);

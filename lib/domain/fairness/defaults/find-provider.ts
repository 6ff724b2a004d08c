import type { ObjectMetadata } from "../configuration/api-objects.ts";

/** Who runs the control plane and puts objects of its own into a cluster. */
export interface Provider {
  readonly name: string;
  /** How it was told: by the object's name, or by who wrote it (`managedFields`). */
  readonly evidence: "name" | "manager";
  /** What is known of this very object, as a sentence; else `null`. */
  readonly note: string | null;
}

interface KnownProvider {
  readonly name: string;
  /** Beginnings of the names it gives. */
  readonly prefixes: readonly string[];
  readonly names: readonly string[];
  readonly managers: readonly string[];
}

/**
 * From the providers' documentation and from listings of such clusters: EKS best practices (control plane), AKS
 * troubleshooting of the API server, IBM Cloud docs (API priority and fairness), OpenShift's operators. No object of
 * GKE's own is documented; its prefix stands for its way of naming.
 */
const PROVIDERS: readonly KnownProvider[] = [
  { name: "EKS", prefixes: ["eks-"], names: [], managers: ["eks-internal", "eks"] },
  { name: "AKS", prefixes: ["aks-"], names: [], managers: [] },
  { name: "GKE", prefixes: ["gke-"], names: [], managers: [] },
  { name: "OpenShift", prefixes: ["openshift-"], names: [], managers: [] },
  {
    name: "IBM Cloud",
    prefixes: ["ibm-"],
    names: [
      "apiserver-health",
      "calico-apiserver-service-accounts",
      "calico-system-service-accounts",
      "system-node-proxiers",
      "tigera-operator-service-accounts",
    ],
    managers: [],
  },
];

const NOTES: Readonly<Record<string, string>> = {
  "aks-managed-apiserver-guard":
    "AKS puts it in while the API server keeps running out of memory: it throttles clients that are not the system's.",
};

/** The provider whose object this is, or `null`. A name is a convention, no proof; a manager is better. */
export function findProvider({ name, managedFields }: ObjectMetadata): Provider | null {
  const note = NOTES[name] ?? null;
  const managers = new Set(managedFields?.map(({ manager }) => manager));
  for (const provider of PROVIDERS) {
    if (provider.managers.some((manager) => managers.has(manager))) {
      return { name: provider.name, evidence: "manager", note };
    }
  }
  for (const provider of PROVIDERS) {
    const isNamedSo =
      provider.names.includes(name) || provider.prefixes.some((prefix) => name.startsWith(prefix));
    if (isNamedSo) return { name: provider.name, evidence: "name", note };
  }
  return null;
}

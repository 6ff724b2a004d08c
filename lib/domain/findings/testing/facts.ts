import { NO_CLUSTER_FACTS, NO_HAND_GIVEN_FACTS, type ScanFacts } from "../scan-facts.ts";
import { asScannedObject, ObjectIndex, type ScannedObject } from "../scanned-object.ts";

/** Facts of a scan with what a test gives, and nothing else known. */
export function factsWith(
  fields: Partial<Omit<ScanFacts, "objects" | "cluster" | "hand">> & {
    readonly objects?: readonly object[];
    readonly cluster?: Partial<ScanFacts["cluster"]>;
    readonly hand?: Partial<ScanFacts["hand"]>;
  } = {},
): ScanFacts {
  return {
    given: new Set(),
    clusterWideLists: null,
    priorityLevelDumps: [],
    queueDumps: [],
    requestDumps: [],
    health: [],
    schemas: [],
    measurements: [],
    ...fields,
    objects: new ObjectIndex((fields.objects ?? []).map(scanned)),
    cluster: { ...NO_CLUSTER_FACTS, ...fields.cluster },
    hand: { ...NO_HAND_GIVEN_FACTS, ...fields.hand },
  };
}

function scanned(object: object): ScannedObject {
  const found = asScannedObject(object, { file: "manifests.yaml", line: 1 });
  if (found === null) throw new Error("a test object needs kind and metadata.name");
  return found;
}

/** A DaemonSet with what a test gives of spec and status. */
export const daemonSet = (name: string, spec: object = {}, status?: object) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name, namespace: "agents" },
  spec,
  ...(status === undefined ? {} : { status }),
});

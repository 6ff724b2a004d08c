import type { CollectionFacts } from "../../clusters/cluster-facts.ts";
import { isBuiltInGroup } from "../../kubernetes/built-in-resources.ts";
import type { Representation } from "../agent.ts";

/** Mean bytes of one object in the form asked for. */
export interface ObjectBytes {
  /** `null`: not known. */
  readonly bytes: number | null;
  /** What was assumed, a phrase; `null`: nothing, it was measured. */
  readonly assumption: string | null;
}

/** JSON ÷ protobuf and metadata ÷ protobuf of pods of 5 KB on a kube-apiserver 1.34.4. */
export const JSON_TO_PROTOBUF = 1.48;
export const METADATA_TO_PROTOBUF = 0.54;

/** Mean bytes as stored in etcd, or what comes nearest; `null`: not known. */
export function storedObjectBytes(facts: CollectionFacts): number | null {
  const { objects, storedBytes, protobufObjectBytes, jsonObjectBytes } = facts;
  if (objects !== null && objects > 0 && storedBytes !== null) return storedBytes / objects;
  if (isBuiltInGroup(facts.apiGroup) && protobufObjectBytes !== null) return protobufObjectBytes;
  if (jsonObjectBytes === null) return null;
  return isBuiltInGroup(facts.apiGroup) ? jsonObjectBytes / JSON_TO_PROTOBUF : jsonObjectBytes;
}

/** Mean bytes of an object in an answer. Custom resources come as JSON, whatever is asked for. */
export function objectBytes(facts: CollectionFacts, representation: Representation | null): ObjectBytes {
  const isCustom = !isBuiltInGroup(facts.apiGroup);
  switch (representation) {
    case "metadata-json":
    case "metadata-protobuf":
      return metadataBytes(facts);
    case "protobuf":
      return isCustom ? jsonBytes(facts) : protobufBytes(facts);
    case "cbor":
      return { ...jsonBytes(facts), assumption: "CBOR is taken for as large as JSON" };
    case "json":
      return jsonBytes(facts);
    case null:
      return { ...jsonBytes(facts), assumption: "the form asked for is not known: JSON" };
  }
}

function protobufBytes(facts: CollectionFacts): ObjectBytes {
  if (facts.protobufObjectBytes !== null) return { bytes: facts.protobufObjectBytes, assumption: null };
  return { bytes: storedObjectBytes(facts), assumption: "protobuf is taken for as large as what is stored" };
}

function jsonBytes(facts: CollectionFacts): ObjectBytes {
  if (facts.jsonObjectBytes !== null) return { bytes: facts.jsonObjectBytes, assumption: null };
  const stored = storedObjectBytes(facts);
  if (!isBuiltInGroup(facts.apiGroup))
    return { bytes: stored, assumption: "JSON is taken for as large as what is stored" };
  return {
    bytes: stored === null ? null : stored * JSON_TO_PROTOBUF,
    assumption: `JSON is taken for ${JSON_TO_PROTOBUF} × what is stored`,
  };
}

function metadataBytes(facts: CollectionFacts): ObjectBytes {
  if (facts.metadataObjectBytes !== null) return { bytes: facts.metadataObjectBytes, assumption: null };
  const stored = storedObjectBytes(facts);
  return {
    bytes: stored === null ? null : stored * METADATA_TO_PROTOBUF,
    assumption: `metadata is taken for ${METADATA_TO_PROTOBUF} × what is stored`,
  };
}

import { NEWEST_KNOWN_MINOR, OLDEST_KNOWN_MINOR } from "../../kubernetes/version.ts";
import type { FlowSchema, ObjectMetadata, PriorityLevelConfiguration } from "../configuration/api-objects.ts";
import { MANDATORY_NAMES } from "../configuration/api-objects.ts";
import { defaultFlowSchemas, defaultPriorityLevels } from "../configuration/expand-objects.ts";
import { readFlowSchema, readPriorityLevel } from "../configuration/read-objects.ts";
import type { FlowSchemaObject, PriorityLevelObject } from "../fairness-part.ts";
import { diffSpec, type FieldChange } from "./diff-spec.ts";
import { findProvider, type Provider } from "./find-provider.ts";

export type FlowControlKind = "FlowSchema" | "PriorityLevelConfiguration";

/** How one object stands to the defaults of its cluster's version. */
export interface DefaultsComparison {
  readonly kind: FlowControlKind;
  readonly name: string;
  /**
   * `default`: as it comes; `changed`: a default with another spec; `missing`: a default that is not there; `added`:
   * no default of this version; `provider`: added by who runs the control plane.
   */
  readonly verdict: "default" | "changed" | "missing" | "added" | "provider";
  readonly isMandatory: boolean;
  /** Annotation `apf.kubernetes.io/autoupdate-spec`; `null`: not set, or the object is missing. */
  readonly autoupdateSpec: string | null;
  /** Whether the API server puts the spec back to its own default; `null`: no default, or not known. */
  readonly isKeptAtDefault: boolean | null;
  readonly changes: readonly FieldChange[];
  /** What the API server does about it within a minute; `null`: nothing. */
  readonly fate: "reset" | "recreated" | "deleted" | null;
  readonly provider: Provider | null;
  /** A sentence for people; `null` for a plain default. */
  readonly text: string | null;
}

export interface ObjectsToCompare {
  /** Minor of the cluster: 26 or later. */
  readonly minor: number;
  readonly flowSchemas: readonly FlowSchemaObject[];
  readonly priorityLevels: readonly PriorityLevelObject[];
  /** Metadata with `managedFields`, by `KIND/NAME`, where they are known. */
  readonly metadata?: ReadonlyMap<string, ObjectMetadata> | undefined;
}

/** As `compareWithDefaults`, for objects as the API gives them, of any of its versions. */
export function compareObjectsWithDefaults(
  minor: number,
  flowSchemas: readonly FlowSchema[],
  priorityLevels: readonly PriorityLevelConfiguration[],
): DefaultsComparison[] {
  return compareWithDefaults({
    minor,
    flowSchemas: flowSchemas.map(readFlowSchema),
    priorityLevels: priorityLevels.map(readPriorityLevel),
    metadata: new Map([
      ...priorityLevels.map(
        ({ metadata }) => [keyOf("PriorityLevelConfiguration", metadata.name), metadata] as const,
      ),
      ...flowSchemas.map(({ metadata }) => [keyOf("FlowSchema", metadata.name), metadata] as const),
    ]),
  });
}

/**
 * Every object of the cluster and every default of its version: priority levels first, then FlowSchemas, each by name.
 * The API server looks once a minute: it makes missing defaults anew, puts back specs that it keeps, and deletes what
 * is annotated as its own but is no default any more.
 * Source: kubernetes pkg/registry/flowcontrol/ensurer, v1.26 to v1.37.
 *
 * @throws {RangeError} below 1.26.
 */
export function compareWithDefaults({
  minor,
  flowSchemas,
  priorityLevels,
  metadata = new Map(),
}: ObjectsToCompare): DefaultsComparison[] {
  return [
    ...compareKind<PriorityLevelObject>({
      kind: "PriorityLevelConfiguration",
      own: priorityLevels,
      defaultsOf: defaultPriorityLevels,
      specOf: specOfLevel,
      minor,
      metadata,
    }),
    ...compareKind<FlowSchemaObject>({
      kind: "FlowSchema",
      own: flowSchemas,
      defaultsOf: defaultFlowSchemas,
      specOf: specOfSchema,
      minor,
      metadata,
    }),
  ];
}

interface NamedObject {
  readonly name: string;
  readonly autoupdateSpec: string | null;
  readonly generation: number | null;
}

interface KindToCompare<T extends NamedObject> {
  readonly kind: FlowControlKind;
  readonly own: readonly T[];
  readonly defaultsOf: (minor: number) => readonly T[];
  readonly specOf: (object: T) => object;
  readonly minor: number;
  readonly metadata: ReadonlyMap<string, ObjectMetadata>;
}

function compareKind<T extends NamedObject>(compared: KindToCompare<T>): DefaultsComparison[] {
  const { own, defaultsOf, minor } = compared;
  const defaults = new Map(defaultsOf(minor).map((object) => [object.name, object]));
  const names = new Set(own.map(({ name }) => name));
  const missing = [...defaults.keys()].filter((name) => !names.has(name));
  return [
    ...own.map((object) => {
      const standard = defaults.get(object.name);
      return standard === undefined
        ? compareAdded(compared, object)
        : compareDefault(compared, object, standard);
    }),
    ...missing.map((name) => missingDefault(compared.kind, name)),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function compareDefault<T extends NamedObject>(
  { kind, specOf, metadata }: KindToCompare<T>,
  object: T,
  standard: T,
): DefaultsComparison {
  const { name, autoupdateSpec } = object;
  const changes = diffSpec("spec", specOf(standard), specOf(object));
  const isMandatory = MANDATORY_NAMES.includes(name);
  const isKeptAtDefault = isMandatory || followsUpgrades(object);
  const provider = findProvider(metadata.get(keyOf(kind, name)) ?? { name });
  const common = { kind, name, isMandatory, autoupdateSpec, isKeptAtDefault, changes, provider };
  if (changes.length === 0) {
    const text = isKeptAtDefault === false ? "As the default, but it will not follow upgrades." : null;
    return { ...common, verdict: "default", fate: null, text };
  }
  // The shares and lendable seats of exempt are the operator's own.
  const isFree = name === "exempt" && changes.every(({ path }) => FREE_FIELDS_OF_EXEMPT.includes(path));
  const isReset = isKeptAtDefault === true && !isFree;
  const fields = changes.map(({ path }) => path).join(", ");
  const end = isReset ? " The API server puts it back within a minute." : "";
  return {
    ...common,
    verdict: "changed",
    isKeptAtDefault: isFree ? false : isKeptAtDefault,
    fate: isReset ? "reset" : null,
    text: `Differs from the default in ${fields}.${end}`,
  };
}

const FREE_FIELDS_OF_EXEMPT: readonly string[] = [
  "spec.exempt.nominalConcurrencyShares",
  "spec.exempt.lendablePercent",
];

function compareAdded<T extends NamedObject>(
  { kind, defaultsOf, minor, metadata }: KindToCompare<T>,
  { name, autoupdateSpec }: T,
): DefaultsComparison {
  const provider = findProvider(metadata.get(keyOf(kind, name)) ?? { name });
  const isDeleted = readBoolean(autoupdateSpec) === true;
  const end = isDeleted ? " The API server deletes it within a minute: it is annotated as its own." : "";
  return {
    kind,
    name,
    verdict: provider === null ? "added" : "provider",
    isMandatory: false,
    autoupdateSpec,
    isKeptAtDefault: null,
    changes: [],
    fate: isDeleted ? "deleted" : null,
    provider,
    text: `${originOf(name, provider, defaultsOf, minor)}${end}`,
  };
}

/** Where an object that is no default comes from, as a sentence. */
function originOf(
  name: string,
  provider: Provider | null,
  defaultsOf: (minor: number) => readonly NamedObject[],
  minor: number,
): string {
  if (provider !== null) {
    const { name: by, evidence, note } = provider;
    return note ?? (evidence === "manager" ? `Written by ${by}.` : `Named as ${by} names its own objects.`);
  }
  const others = Array.from(
    { length: NEWEST_KNOWN_MINOR - OLDEST_KNOWN_MINOR + 1 },
    (_, i) => OLDEST_KNOWN_MINOR + i,
  ).filter((other) => other !== minor && defaultsOf(other).some((object) => object.name === name));
  const last = others.at(-1);
  return last === undefined ? "No default of any version." : `A default up to 1.${last}, none of 1.${minor}.`;
}

const missingDefault = (kind: FlowControlKind, name: string): DefaultsComparison => ({
  kind,
  name,
  verdict: "missing",
  isMandatory: MANDATORY_NAMES.includes(name),
  autoupdateSpec: null,
  isKeptAtDefault: true,
  changes: [],
  fate: "recreated",
  provider: null,
  text: "A default that is not there. The API server makes it anew within a minute.",
});

/** What the annotation says; without a usable one, an object of generation 1 was never edited. */
function followsUpgrades({ autoupdateSpec, generation }: NamedObject): boolean | null {
  return readBoolean(autoupdateSpec) ?? (generation === null ? null : generation === 1);
}

/** As Go's strconv.ParseBool; `null` for anything else. */
function readBoolean(text: string | null): boolean | null {
  if (text === null) return null;
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : null;
}

const keyOf = (kind: FlowControlKind, name: string) => `${kind}/${name}`;

function specOfLevel(level: PriorityLevelObject): object {
  const { type, nominalConcurrencyShares, lendablePercent } = level;
  if (type === "Exempt") {
    return {
      type,
      exempt: {
        nominalConcurrencyShares: nominalConcurrencyShares ?? 0,
        lendablePercent: lendablePercent ?? 0,
      },
    };
  }
  const { borrowingLimitPercent, limitResponse, queues, handSize, queueLengthLimit } = level;
  return {
    type,
    limited: {
      nominalConcurrencyShares,
      lendablePercent: lendablePercent ?? 0,
      borrowingLimitPercent,
      limitResponse: { type: limitResponse, queuing: { queues, handSize, queueLengthLimit } },
    },
  };
}

function specOfSchema(schema: FlowSchemaObject): object {
  const { priorityLevelName, matchingPrecedence, distinguisherMethod, rules } = schema;
  return {
    priorityLevelConfiguration: { name: priorityLevelName },
    matchingPrecedence,
    distinguisherMethod: { type: distinguisherMethod },
    rules,
  };
}

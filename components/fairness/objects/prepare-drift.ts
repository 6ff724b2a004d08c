import type { SeverityValue } from "@/lib/contracts/common";
import type { FlowControlResponse } from "@/lib/contracts/flow-control";
import type { ObjectMetadata } from "@/lib/domain/fairness/configuration/api-objects";
import {
  compareWithDefaults,
  type DefaultsComparison,
} from "@/lib/domain/fairness/defaults/compare-with-defaults";
import type { FieldChange } from "@/lib/domain/fairness/defaults/diff-spec";
import type { FlowSchemaObject } from "@/lib/domain/fairness/fairness-part";
import { ruleVersion } from "@/lib/domain/kubernetes/version";
import { formatPlural } from "@/lib/format/number";
import { usableVersion } from "./usable-version";

/** One object that is not as it comes, or all that are. */
export interface DriftRow {
  readonly key: string;
  readonly severity: SeverityValue;
  readonly object: string;
  /** Against the default, in few words: `added`, `changed`, `auto-update off`. */
  readonly word: string;
  /** Sentences, or field by field what the default and the cluster have. */
  readonly details: readonly string[];
}

export interface Drift {
  /** Worst first, then by name; what is as it comes last and in one row. */
  readonly rows: readonly DriftRow[];
  readonly differing: number;
  readonly total: number;
  /** Minor whose defaults these are. */
  readonly minor: number;
  /** Set where the cluster's version is none of the known ones. */
  readonly note: string | null;
}

/** The objects of a cluster against the defaults of its version; `null` where one of the three was not read. */
export function prepareDrift(response: FlowControlResponse): Drift | null {
  const { flowSchemas, priorityLevels } = response;
  const gitVersion = usableVersion(response.gitVersion);
  if (gitVersion === null || flowSchemas === null || priorityLevels === null) return null;
  const { minor, note } = ruleVersion(gitVersion);
  const all = compareWithDefaults({ minor, flowSchemas, priorityLevels, metadata: metadataOf(response) });
  const schemas = new Map(flowSchemas.map((each) => [each.name, each]));
  const rows = all
    .filter((each) => !isPlain(each))
    .map((each) => toRow(each, each.kind === "FlowSchema" ? schemas.get(each.name) : undefined))
    .sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  const plain = all.filter(isPlain);
  return {
    rows: plain.length === 0 ? rows : [...rows, plainRow(all, minor)],
    differing: rows.length,
    total: all.length,
    minor,
    note,
  };
}

const ORDER: readonly SeverityValue[] = ["error", "warning", "unknown", "info", "ok"];

/** A default that nobody touched and that the API server keeps. */
const isPlain = ({ verdict, isKeptAtDefault }: DefaultsComparison) =>
  verdict === "default" && isKeptAtDefault === true;

/** Who wrote the objects, where it is stored. */
function metadataOf({ flowSchemas, priorityLevels }: FlowControlResponse): Map<string, ObjectMetadata> {
  const entries = [
    ...(priorityLevels ?? []).map((each) => ["PriorityLevelConfiguration", each] as const),
    ...(flowSchemas ?? []).map((each) => ["FlowSchema", each] as const),
  ];
  return new Map(
    entries.map(([kind, { name, managers }]) => [
      `${kind}/${name}`,
      { name, managedFields: managers?.map((manager) => ({ manager })) },
    ]),
  );
}

function toRow(compared: DefaultsComparison, schema: FlowSchemaObject | undefined): DriftRow {
  const { kind, name, changes, text, verdict, fate } = compared;
  const { severity, word } = lookOf(compared);
  const isOwn = verdict === "added" || verdict === "provider";
  const fields = [...changes.map(changeText), ...(fate === "reset" ? [PUT_BACK] : [])];
  return {
    key: `${kind}/${name}`,
    severity,
    object: `${kind === "FlowSchema" ? "FlowSchema" : "Priority level"} ${name}`,
    word,
    details: [
      ...(isOwn && schema !== undefined ? [describeSchema(schema)] : []),
      ...(changes.length > 0
        ? fields
        : [text ?? "As the default; whether it follows upgrades is not known."]),
    ],
  };
}

const PUT_BACK = "The API server puts it back within a minute.";

function lookOf({ verdict, provider, isKeptAtDefault, fate }: DefaultsComparison): {
  readonly severity: SeverityValue;
  readonly word: string;
} {
  switch (verdict) {
    case "default":
      return isKeptAtDefault === false
        ? { severity: "warning", word: "auto-update off" }
        : { severity: "unknown", word: "auto-update not known" };
    case "changed":
      return {
        severity: "warning",
        word: isKeptAtDefault === false ? "changed, auto-update off" : "changed",
      };
    case "missing":
      return { severity: "warning", word: "missing" };
    case "added":
      return { severity: "warning", word: fate === "deleted" ? "added, to be deleted" : "added" };
    case "provider":
      return { severity: "info", word: `${provider?.name ?? "provider"}’s own` };
    default: {
      const never: never = verdict;
      throw new Error(`unknown verdict ${String(never)}`);
    }
  }
}

/** `Precedence 5 → exempt, ByUser`. */
function describeSchema({
  matchingPrecedence,
  priorityLevelName,
  distinguisherMethod,
}: FlowSchemaObject): string {
  const method = distinguisherMethod === null ? "" : `, ${distinguisherMethod}`;
  return `Precedence ${matchingPrecedence} → ${priorityLevelName}${method}.`;
}

/** `9 other FlowSchemas, 8 priority levels`: others where some of the kind differ. */
function plainRow(all: readonly DefaultsComparison[], minor: number): DriftRow {
  const count = (wanted: DefaultsComparison["kind"], word: string) => {
    const ofKind = all.filter(({ kind }) => kind === wanted);
    const plain = ofKind.filter(isPlain).length;
    const other = plain < ofKind.length ? "other " : "";
    return plain === 0 ? [] : [formatPlural(plain, `${other}${word}`)];
  };
  const parts = [
    ...count("FlowSchema", "FlowSchema"),
    ...count("PriorityLevelConfiguration", "priority level"),
  ];
  return {
    key: "as-default",
    severity: "ok",
    object: parts.join(", "),
    word: `as default 1.${minor}`,
    details: ["The API server keeps them at the defaults of its version, upgrades included."],
  };
}

/** `spec.limited.nominalConcurrencyShares: 100 → 300`. */
export const changeText = ({ path, defaultValue, clusterValue }: FieldChange): string =>
  `${path}: ${valueText(defaultValue)} → ${valueText(clusterValue)}`;

const valueText = (value: unknown): string =>
  value === null || value === undefined
    ? "not set"
    : typeof value === "string"
      ? value
      : JSON.stringify(value).replaceAll(",", ", ").replaceAll('":', '": ');

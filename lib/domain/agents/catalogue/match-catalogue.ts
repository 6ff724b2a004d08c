import type { AgentClient, AgentInformer } from "../agent.ts";
import type { AgentContainer } from "../agent-workload.ts";
import type { Evidence } from "../evidence.ts";
import { compareAgentVersions, parseImageReference, versionOfTag } from "../image-reference.ts";
import { parseInformersAnnotation } from "../informers-annotation.ts";
import type {
  CatalogueCitation,
  CatalogueEntry,
  CatalogueRead,
  CatalogueVersion,
} from "./catalogue-entry.ts";
import { decideCondition, describeCondition } from "./conditions.ts";
import { matchImage } from "./match-image.ts";

/** What the catalogue says of one container. */
export interface CatalogueMatch {
  readonly entry: CatalogueEntry;
  /** Name of the container. */
  readonly container: string;
  readonly informers: readonly AgentInformer[];
  readonly client: AgentClient;
  /** What was taken where nothing told, one sentence each. */
  readonly assumptions: readonly string[];
}

/** What the catalogue knows of a container, by its image; `null`: it does not know the image. */
export function matchContainer(
  catalogue: readonly CatalogueEntry[],
  container: AgentContainer,
): CatalogueMatch | null {
  const entry = matchImage(catalogue, container.image);
  if (entry === null) return null;
  const version = versionOfTag(parseImageReference(container.image)?.tag ?? null);
  return matchEntry(entry, version, container);
}

/** What an entry says at a version of the agent (`null`: not known) and for a container. */
export function matchEntry(
  entry: CatalogueEntry,
  version: string | null,
  container: AgentContainer,
): CatalogueMatch | null {
  const chosen = chooseVersion(entry.versions, version);
  if (chosen === null) return null;
  const { record, covers } = chosen;
  const assumptions: string[] = [];
  if (version === null && entry.versions.length > 1) {
    assumptions.push(`${entry.title}: its version is not known; ${rangeText(record)} is assumed.`);
  }
  const evidenceOf = (citation: CatalogueCitation | undefined) =>
    catalogueEvidence(entry, citation, covers ? null : rangeText(record));
  const informers = record.reads.flatMap((read) =>
    isRead(read, container, entry.title, assumptions)
      ? informersOf(read, container, evidenceOf(read.citation ?? record.citation))
      : [],
  );
  return {
    entry,
    container: container.name,
    informers,
    client: clientOf(record.client, evidenceOf(record.citation)),
    assumptions,
  };
}

interface ChosenVersion {
  readonly record: CatalogueVersion;
  /** False where no range holds the version and the nearest was taken. */
  readonly covers: boolean;
}

/** The range that holds the version, else the nearest below, else the first. The newest where the version is not known. */
function chooseVersion(versions: readonly CatalogueVersion[], version: string | null): ChosenVersion | null {
  const newest = versions.at(-1);
  if (newest === undefined) return null;
  if (version === null) return { record: newest, covers: true };
  const record = versions.findLast(({ from }) => from === undefined || isAtLeast(version, from));
  if (record === undefined) return { record: versions[0] ?? newest, covers: false };
  return { record, covers: record.before === undefined || !isAtLeast(version, record.before) };
}

const isAtLeast = (version: string, bound: string) => (compareAgentVersions(version, bound) ?? 0) >= 0;

/** `1.14 and later, before 1.17`. */
export function rangeText({ from, before }: CatalogueVersion): string {
  if (from === undefined && before === undefined) return "any version";
  if (from === undefined) return `before ${before}`;
  return before === undefined ? `${from} and later` : `${from} and later, before ${before}`;
}

function isRead(
  read: CatalogueRead,
  container: AgentContainer,
  title: string,
  assumptions: string[],
): boolean {
  const undecided: string[] = [];
  for (const condition of read.when ?? []) {
    const decided = decideCondition(condition, container);
    if (decided === false || (decided === null && !condition.assume)) {
      if (decided === null) {
        assumptions.push(
          `${title}: ${read.what} is left out: it cannot be told whether ${describeCondition(condition)}.`,
        );
      }
      return false;
    }
    if (decided === null) undecided.push(describeCondition(condition));
  }
  if (undecided.length > 0) {
    assumptions.push(`${title}: ${read.what} is counted: it is assumed that ${undecided.join(" and ")}.`);
  }
  return true;
}

function informersOf(read: CatalogueRead, container: AgentContainer, evidence: Evidence): AgentInformer[] {
  const { informers, problems } = parseInformersAnnotation(read.what);
  const [problem] = problems;
  if (problem !== undefined)
    throw new Error(`Catalogue: "${problem.found}" in "${read.what}": ${problem.expected}.`);
  return informers.map((informer) => ({ ...informer, container: container.name, evidence }));
}

function clientOf(text: string, evidence: Evidence): AgentClient {
  const { client, problems } = parseInformersAnnotation(`client ${text}`);
  if (client === null)
    throw new Error(`Catalogue: client "${text}": ${problems[0]?.expected ?? "a client"}.`);
  return { ...client, evidence };
}

/** Uncited claims bound nothing and prove nothing: they stand among the weakest. */
function catalogueEvidence(
  entry: CatalogueEntry,
  citation: CatalogueCitation | undefined,
  otherVersion: string | null,
): Evidence {
  return {
    grade: citation === undefined ? "bounded" : "catalogued",
    source: `catalogue: ${entry.id}`,
    observedAt: null,
    citation: citation === undefined ? null : `${citation.repository} ${citation.path} ${citation.release}`,
    raisedBy:
      otherVersion === null
        ? "An audit log over the start of one copy, or the annotation headroom.dev/informers on the workload."
        : "An audit log over the start of one copy: the catalogue knows another version.",
    ...(otherVersion === null ? {} : { otherVersion }),
  };
}

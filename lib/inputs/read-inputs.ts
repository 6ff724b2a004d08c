import {
  asScannedObject,
  type HealthOutput,
  type InputKind,
  isJsonObject,
  listAt,
  type MeasuredFacts,
  type PriorityLevelDump,
  type QueueDumpLine,
  type RequestDumpLine,
  type ScanFacts,
  type ScannedDump,
  type ScannedObject,
  type SchemaDocument,
  textAt,
} from "../domain/findings/index.ts";
import { parseQueueDump } from "../kube/fairness-dumps.ts";
import { BodyError, parsePriorityLevelDump, parseRequestDump } from "../kube/index.ts";
import { ListSplitter } from "../kube/list-splitter.ts";
import { decideListsOf } from "./decide-lists.ts";
import { InputError, type InputProblem, type SkippedInput } from "./input-problem.ts";
import { formatLimit, type InputLimits } from "./limits.ts";
import { mergeClusterFacts, NO_FACTS } from "./merge-cluster-facts.ts";
import { ObjectStore } from "./object-store.ts";
import { type OpenedInput, openInput } from "./open-input.ts";
import { parseJson } from "./parse-json.ts";
import { readYaml } from "./read-yaml.ts";
import { readClusterFactsFile } from "./readers/cluster-facts-file.ts";
import { readHealthOutput } from "./readers/health-output.ts";
import { isClusterFactsName, isMeasuredName, plainName, type Recognised, recognise } from "./recognise.ts";
import { splitLines } from "./split-lines.ts";
import { decodeUtf8, readAll } from "./text.ts";
import type { FoundFile } from "./walk-inputs.ts";

/** A stream that is read after everything else. */
export interface StreamInput {
  readonly kind: "audit-log" | "metrics" | "log" | "watch-stream";
  readonly name: string;
  /** Already open where it can be read once only; `null`: opened anew when its turn comes. */
  readonly opened: OpenedInput | null;
}

const STREAMED: ReadonlySet<string> = new Set(["audit-log", "metrics", "log", "watch-stream"]);

/** Faulty documents of one file named one by one. */
const YAML_FAULTS_NAMED = 20;

/**
 * Reads what is read whole, and sets streams aside. One file's fault costs that file, or the document it is in.
 */
export class InputReader {
  readonly problems: InputProblem[] = [];
  readonly skipped: SkippedInput[] = [];
  readonly streams: StreamInput[] = [];
  readonly #limits: InputLimits;
  readonly #objects: ObjectStore;
  readonly #given = new Set<InputKind>();
  readonly #priorityLevelDumps: ScannedDump<PriorityLevelDump>[] = [];
  readonly #queueDumps: ScannedDump<QueueDumpLine>[] = [];
  readonly #requestDumps: ScannedDump<RequestDumpLine>[] = [];
  readonly #health: HealthOutput[] = [];
  readonly #schemas: SchemaDocument[] = [];
  readonly #measurements: MeasuredFacts[] = [];
  #cluster = NO_FACTS;
  /** Files of which something was recognised. */
  recognised = 0;

  constructor(limits: InputLimits, objects: readonly ScannedObject[] = []) {
    this.#limits = limits;
    this.#objects = new ObjectStore(limits, objects);
  }

  /** Reads a file, or sets it aside. Never throws for what is in it. */
  async read({ name, isNamed }: FoundFile): Promise<void> {
    const before = {
      recognised: this.recognised,
      problems: this.problems.length,
      skipped: this.skipped.length,
    };
    try {
      const input = await openInput(name);
      let isKept = false;
      try {
        isKept = await this.#take(input, recognise(name, input.head));
      } finally {
        if (!isKept) await input.close();
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.fault(name, error);
    }
    // A file of a folder may be anything; one that somebody named is meant to be read.
    if (isNamed && this.recognised === before.recognised && this.problems.length === before.problems) {
      const [first] = this.skipped.splice(before.skipped);
      this.fault(
        name,
        new InputError(`expected an input of a known kind: ${first?.reason ?? "nothing is in it"}`),
      );
    }
  }

  fault(file: string, { line, column, message }: InputError): void {
    this.problems.push({ file, line, column, message });
  }

  get objectCount(): number {
    return this.#objects.index.size;
  }

  /** Facts of everything read so far. `base`: a cluster that was read now; what files say of it by hand counts first. */
  facts(base: Partial<Pick<ScanFacts, "cluster" | "clusterWideLists">> = {}): ScanFacts {
    const { cluster, hand } = mergeClusterFacts(
      base.cluster === undefined ? NO_FACTS : { ...NO_FACTS, cluster: base.cluster },
      this.#cluster,
    );
    const byFile = (a: { readonly file: string }, b: { readonly file: string }) =>
      a.file < b.file ? -1 : a.file > b.file ? 1 : 0;
    return {
      given: this.#given,
      objects: this.#objects.index,
      cluster,
      hand,
      clusterWideLists: decideListsOf(this.#objects.index) ?? base.clusterWideLists ?? null,
      priorityLevelDumps: this.#priorityLevelDumps.sort(byFile),
      queueDumps: this.#queueDumps.sort(byFile),
      requestDumps: this.#requestDumps.sort(byFile),
      health: this.#health,
      schemas: this.#schemas,
      measurements: this.#measurements,
    };
  }

  /** True where the input stays open. */
  async #take(input: OpenedInput, recognised: Recognised): Promise<boolean> {
    const { name } = input;
    if (recognised.kind === "unknown") {
      this.#skip(name, recognised.reason);
      return false;
    }
    if (isStream(recognised.kind)) {
      this.#note(recognised.kind);
      // What is packed or comes from a pipe is a stream already; a file is opened again, so that not all are open at once.
      const isOnce = input.storedBytes === null;
      this.streams.push({ kind: recognised.kind, name, opened: isOnce ? input : null });
      return isOnce;
    }
    if ((input.storedBytes ?? 0) > this.#limits.fileBytes) {
      this.skipped.push({ file: name, reason: `more than ${formatLimit(this.#limits.fileBytes)}` });
      return false;
    }
    await this.#readWhole(input, recognised);
    return false;
  }

  async #readWhole(input: OpenedInput, recognised: Recognised): Promise<void> {
    const { name } = input;
    switch (recognised.kind) {
      case "json":
        await this.#readJson(input);
        return;
      case "json-lines":
        await this.#readJsonLines(input);
        return;
      case "yaml":
        await this.#readYaml(input);
        return;
      case "openapi-protobuf": {
        const bytes = await this.#all(input);
        this.#note(recognised.version === "v2" ? "openapi-v2" : "openapi-v3");
        this.#schemas.push({ file: name, version: recognised.version, content: { form: "protobuf", bytes } });
        return;
      }
      case "dump-priority-levels":
        await this.#readDump(input, recognised.kind, parsePriorityLevelDump, this.#priorityLevelDumps);
        return;
      case "dump-queues":
        await this.#readDump(input, recognised.kind, parseQueueDump, this.#queueDumps);
        return;
      case "dump-requests":
        await this.#readDump(input, recognised.kind, parseRequestDump, this.#requestDumps);
        return;
      case "health":
        this.#health.push(readHealthOutput(name, decodeUtf8(await this.#all(input))));
        this.#note("health");
        return;
      default:
        throw new Error(`${recognised.kind} is not read whole`);
    }
  }

  async #readDump<Row>(
    input: OpenedInput,
    kind: InputKind,
    parse: (text: string) => { readonly rows: readonly Row[]; readonly malformedLines: number },
    into: ScannedDump<Row>[],
  ): Promise<void> {
    const text = decodeUtf8(await this.#all(input));
    try {
      const { rows, malformedLines } = parse(text);
      into.push({ file: input.name, rows });
      this.#note(kind);
      if (malformedLines > 0) {
        throw new InputError(`expected as many cells as the head has; ${malformedLines} lines have others`);
      }
    } catch (error) {
      if (error instanceof BodyError) throw new InputError(`expected a debug dump: ${error.message}`);
      throw error;
    }
  }

  async #readJson(input: OpenedInput): Promise<void> {
    const isLarge =
      !input.isHeadAll && (input.storedBytes === null || input.storedBytes > this.#limits.documentBytes);
    if (isLarge && /"items"/.test(input.head.toString("latin1"))) {
      await this.#readLargeList(input);
      return;
    }
    const bytes = await readAll(
      input.chunks(),
      this.#limits.documentBytes,
      `expected a JSON document of at most ${formatLimit(this.#limits.documentBytes)} that is no list`,
    );
    const text = decodeUtf8(bytes);
    const value = parseJson(text, this.#limits.depth);
    const source: Source = { name: input.name, line: 1, text, bytes: bytes.length };
    this.#takeDocument(value, source);
  }

  /** A list of more than one document may be: item by item, so that one item at a time is held. */
  async #readLargeList({ name, chunks }: OpenedInput): Promise<void> {
    const splitter = new ListSplitter();
    let items = 0;
    try {
      for await (const chunk of chunks()) {
        for (const bytes of splitter.push(chunk)) {
          const value = parseJson(decodeUtf8(bytes), this.#limits.depth);
          if (this.#objects.add(value, { file: name, line: null }, bytes.length)) items++;
        }
      }
      splitter.end();
    } catch (error) {
      if (error instanceof InputError)
        throw new InputError(`${error.message}, in item ${items + 1} of the list`);
      if (error instanceof BodyError) throw new InputError(`expected a list of objects: ${error.message}`);
      throw error;
    } finally {
      if (items > 0) this.#note("manifests");
    }
  }

  async #readJsonLines(input: OpenedInput): Promise<void> {
    for await (const lines of splitLines(input.chunks(), this.#limits.lineBytes)) {
      for (const { number, bytes } of lines) {
        try {
          if (bytes === null)
            throw new InputError(`expected lines of at most ${formatLimit(this.#limits.lineBytes)}`, number);
          const text = decodeUtf8(bytes, number);
          if (text.trim() === "") continue;
          const value = parseJson(text, this.#limits.depth, number);
          this.#takeDocument(value, { name: input.name, line: number, text, bytes: bytes.length });
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          this.fault(input.name, error);
        }
      }
    }
  }

  async #readYaml(input: OpenedInput): Promise<void> {
    let faults = 0;
    // Cluster facts are looked up again for the places of their fields; they are small.
    const text = isClusterFactsName(input.name) && input.isHeadAll ? input.head.toString("utf8") : "";
    const isTemplate = isUnrenderedTemplate(input.head);
    for await (const part of readYaml(input.chunks(), this.#limits)) {
      if (part.kind === "fault") {
        if (isTemplate) {
          this.#skip(input.name, "a template that is not rendered: give what helm template prints");
          return;
        }
        faults++;
        if (faults <= YAML_FAULTS_NAMED) this.fault(input.name, part.error);
        continue;
      }
      const { line, value, bytes } = part.document;
      this.#takeDocument(value, { name: input.name, line, text, bytes });
    }
    if (faults > YAML_FAULTS_NAMED) {
      this.fault(input.name, new InputError(`${faults - YAML_FAULTS_NAMED} more documents cannot be read`));
    }
  }

  #takeDocument(value: unknown, source: Source): void {
    const { name, line } = source;
    if (this.#takeObjects(value, source)) return;
    const schemaVersion = schemaVersionOf(value, name);
    if (schemaVersion !== null && isJsonObject(value)) {
      this.#schemas.push({ file: name, version: schemaVersion, content: { form: "json", document: value } });
      this.#note(schemaVersion === "v2" ? "openapi-v2" : "openapi-v3");
    } else if (isClusterFactsName(name)) {
      const { facts, problems, skipped } = readClusterFactsFile(name, value, source.text);
      this.#cluster = mergeClusterFacts(this.#cluster, facts);
      this.problems.push(...problems);
      this.skipped.push(...skipped);
      this.#note("cluster-facts");
    } else if (isMeasuredName(name)) {
      this.#measurements.push({ name: plainName(name), file: name, value });
      this.#note("measurements");
    } else {
      const what =
        isJsonObject(value) && textAt(value, "kind") !== null
          ? `${textAt(value, "kind")} without a name`
          : null;
      this.#skip(
        name,
        `${line > 1 ? `line ${line}: ` : ""}${what ?? "neither a Kubernetes object nor another kind that is read"}`,
      );
    }
  }

  /** Kubernetes objects: one, a list of them in any form. False where it is none. */
  #takeObjects(value: unknown, { name, line, bytes }: Source): boolean {
    const position = { file: name, line };
    if (Array.isArray(value)) {
      const objects = value.filter((each) => asScannedObject(each, position) !== null);
      if (objects.length === 0) return false;
      for (const each of objects) this.#objects.add(each, position, bytes / objects.length);
      this.#note("manifests");
      return true;
    }
    if (!isJsonObject(value)) return false;
    const kind = textAt(value, "kind");
    if (kind?.endsWith("List") === true && Array.isArray(value.items)) {
      const items = listAt(value, "items");
      // Items of a typed list (PodList) carry neither kind nor version of their own.
      const ofList =
        kind === "List" ? {} : { kind: kind.slice(0, -"List".length), apiVersion: value.apiVersion };
      for (const item of items) {
        const object = isJsonObject(item) ? { ...ofList, ...item } : item;
        this.#objects.add(object, position, bytes / items.length);
      }
      this.#note("manifests");
      return true;
    }
    if (textAt(value, "apiVersion") === null || !this.#objects.add(value, position, bytes)) return false;
    this.#note("manifests");
    return true;
  }

  #all(input: OpenedInput): Promise<Buffer> {
    return readAll(
      input.chunks(),
      this.#limits.documentBytes,
      `expected at most ${formatLimit(this.#limits.documentBytes)}`,
    );
  }

  #note(kind: InputKind): void {
    this.#given.add(kind);
    this.recognised++;
  }

  #skip(file: string, reason: string): void {
    // The documents of one file may all be passed over for one reason.
    const last = this.skipped.at(-1);
    if (last?.file !== file || last.reason !== reason) this.skipped.push({ file, reason });
  }
}

interface Source {
  readonly name: string;
  readonly line: number;
  /** The whole text where places in it may be looked up. */
  readonly text: string;
  readonly bytes: number;
}

/** By what every document of a version has; one that lacks it is what a rule reports, and is known by the rest, or its name. */
function schemaVersionOf(value: unknown, name: string): SchemaDocument["version"] | null {
  if (!isJsonObject(value)) return null;
  if (value.swagger !== undefined) return "v2";
  if (value.openapi !== undefined) return "v3";
  const hasPaths = isJsonObject(value.paths);
  if (hasPaths && isJsonObject(value.definitions)) return "v2";
  if (hasPaths && isJsonObject(value.components)) return "v3";
  const byName = /openapi[-_.]?v([23])/.exec(plainName(name))?.[1];
  return byName === undefined ? null : `v${byName === "2" ? 2 : 3}`;
}

function isStream(kind: string): kind is StreamInput["kind"] {
  return STREAMED.has(kind);
}

/** `{{ … }}` outside quotes is what Helm would render. */
const isUnrenderedTemplate = (head: Buffer) => /\{\{-?\s*[^}]*\}\}/.test(head.toString("utf8"));

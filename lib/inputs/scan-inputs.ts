import type { ClusterFacts } from "../domain/clusters/cluster-facts.ts";
import {
  type ExemptedResults,
  exemptFindings,
  type Figures,
  type FindingWaiver,
  type IgnoredRule,
  judgeFindings,
  type Rule,
  type RuleAnswer,
  RuleRun,
  type ScanFacts,
  type ScannedObject,
  type UndecidedSubject,
  type Verdict,
  wantedMetrics,
} from "../domain/findings/index.ts";
import { InputError, type InputProblem, type SkippedInput } from "./input-problem.ts";
import { INPUT_LIMITS, type InputLimits } from "./limits.ts";
import { type OpenedInput, openInput } from "./open-input.ts";
import { InputReader, type StreamInput } from "./read-inputs.ts";
import { readAuditLog } from "./readers/audit-log.ts";
import { readLogLines } from "./readers/log-lines.ts";
import { readMetricsPage } from "./readers/metrics-page.ts";
import type { LineReader, StreamSummary } from "./readers/stream-reader.ts";
import { readWatchStream } from "./readers/watch-stream.ts";
import { walkInputs } from "./walk-inputs.ts";

/** What a scan looks at and what it asks. */
export interface ScanRequest {
  /** Files and folders; `-` is standard input. */
  readonly paths: readonly string[];
  readonly rules: readonly Rule[];
  /** A cluster that was read now. */
  readonly base?: ClusterBase;
  readonly ignored?: readonly IgnoredRule[];
  readonly waivers?: readonly FindingWaiver[];
  /** Milliseconds since the epoch: by which waivers end. */
  readonly now: number;
  readonly limits?: Partial<InputLimits>;
  /** Called now and then while something long is read. */
  readonly onProgress?: (progress: ScanProgress) => void;
}

/** What is known of a cluster before any file is read. */
export interface ClusterBase {
  readonly cluster: ClusterFacts;
  readonly clusterWideLists: ScanFacts["clusterWideLists"];
  readonly objects: readonly ScannedObject[];
  /** Of rules that only a cluster answers. */
  readonly answers: readonly { readonly rule: Rule; readonly answer: RuleAnswer }[];
}

export interface ScanProgress {
  readonly file: string;
  readonly filesDone: number;
  readonly files: number;
  /** Of the stream that is being read; `null` while files are read whole. */
  readonly bytesDone: number | null;
  /** `null` where the stream does not say how long it is. */
  readonly bytes: number | null;
}

/** Everything a scan came to. */
export interface ScanReport extends ExemptedResults {
  readonly verdict: Verdict;
  readonly rules: readonly Rule[];
  readonly skipped: readonly SkippedInput[];
  readonly problems: readonly InputProblem[];
  /** True where nothing of a kind that is read was given, and no cluster either. */
  readonly isNothingGiven: boolean;
  /** What was read: `files`, `objects`, `auditEvents`, … */
  readonly figures: Figures;
}

/**
 * Reads files and asks rules: what is read whole first, then streams, then every rule answers. Never throws for what
 * an input holds: what cannot be read is a problem of the report, and the rest is answered.
 */
export async function scanInputs(request: ScanRequest): Promise<ScanReport> {
  const limits = { ...INPUT_LIMITS, ...request.limits };
  const found = await walkInputs(request.paths);
  const reader = new InputReader(limits, request.base?.objects);
  for (const [index, file] of found.files.entries()) {
    await reader.read(file);
    request.onProgress?.({
      file: file.name,
      filesDone: index + 1,
      files: found.files.length,
      bytesDone: null,
      bytes: null,
    });
  }
  const facts = reader.facts(request.base);
  const run = new RuleRun(request.rules, facts);
  const streams = new StreamRun(reader, run, limits, request);
  for (const [index, stream] of reader.streams.entries()) await streams.read(stream, index);
  const results = run.finish(request.base?.answers);
  const exempted = exemptFindings(results, {
    ignored: request.ignored ?? [],
    waivers: request.waivers ?? [],
    now: request.now,
  });
  const isNothingGiven = reader.recognised === 0 && request.base === undefined;
  const nothing: readonly UndecidedSubject[] = isNothingGiven
    ? [{ rule: "scan", subject: "input", missing: "No input of a kind that is read was found." }]
    : [];
  const undecided = [...nothing, ...exempted.undecided];
  const problems = [...found.problems, ...reader.problems];
  return {
    ...exempted,
    undecided,
    // What could not be read might have decided otherwise.
    verdict: judgeFindings(exempted.findings, [...undecided, ...problems]),
    rules: request.rules,
    isNothingGiven,
    skipped: [...found.skipped, ...reader.skipped],
    problems,
    figures: { files: found.files.length, objects: reader.objectCount, ...streams.figures },
  };
}

/** Progress of a stream is told each time that so much more was read. */
const PROGRESS_BYTES = 4 * 1024 * 1024;

class StreamRun {
  readonly #reader: InputReader;
  readonly #run: RuleRun;
  readonly #limits: InputLimits;
  readonly #request: ScanRequest;
  readonly #counts = { auditEvents: 0, metricSamples: 0, logLines: 0, watchEvents: 0 };

  constructor(reader: InputReader, run: RuleRun, limits: InputLimits, request: ScanRequest) {
    this.#reader = reader;
    this.#run = run;
    this.#limits = limits;
    this.#request = request;
  }

  /** Of kinds that were given. */
  get figures(): Figures {
    return Object.fromEntries(Object.entries(this.#counts).filter(([, count]) => count > 0));
  }

  async read(stream: StreamInput, index: number): Promise<void> {
    const { name } = stream;
    let input: OpenedInput | null = null;
    try {
      input = stream.opened ?? (await openInput(name));
      await this.#hand(stream, this.#counted(input, index));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#reader.fault(name, error);
    } finally {
      await input?.close();
    }
  }

  async #hand({ kind, name }: StreamInput, chunks: AsyncIterable<Buffer>): Promise<void> {
    switch (kind) {
      case "audit-log":
        this.#counts.auditEvents += await this.#readLines(
          name,
          chunks,
          readAuditLog,
          this.#run.listener("auditEvent"),
        );
        return;
      case "watch-stream":
        this.#counts.watchEvents += await this.#readLines(
          name,
          chunks,
          readWatchStream,
          this.#run.listener("watchEvent"),
        );
        return;
      case "log":
        this.#counts.logLines += await this.#readLines(
          name,
          chunks,
          readLogLines,
          this.#run.listener("logLine"),
        );
        return;
      case "metrics": {
        const listen = this.#run.listener("metricSample");
        const position = { file: name, line: null };
        const { samples, malformedLines, isCut } = await readMetricsPage(
          chunks,
          wantedMetrics(this.#request.rules),
          (sample) => listen?.(sample, position),
        );
        this.#counts.metricSamples += samples;
        if (isCut)
          this.#reader.skipped.push({ file: name, reason: "the last line does not end: it is left out" });
        if (malformedLines > 0) throw new InputError(`expected samples; ${malformedLines} lines are none`);
        return;
      }
      default: {
        const never: never = kind;
        throw new Error(`unknown stream ${String(never)}`);
      }
    }
  }

  async #readLines<Event>(
    name: string,
    chunks: AsyncIterable<Buffer>,
    read: LineReader<Event>,
    listen: ((event: Event, at: { readonly file: string; readonly line: number | null }) => void) | null,
  ): Promise<number> {
    if (listen === null) {
      this.#reader.skipped.push({ file: name, reason: "no rule that was asked reads it" });
      return 0;
    }
    const summary = await read(chunks, (event, line) => listen(event, { file: name, line }), {
      maxLineBytes: this.#limits.lineBytes,
    });
    this.#report(name, summary);
    return summary.events;
  }

  #report(name: string, { faultyLines, firstFault, notes }: StreamSummary): void {
    for (const reason of notes) this.#reader.skipped.push({ file: name, reason });
    if (firstFault === null) return;
    const more = faultyLines > 1 ? `; ${faultyLines - 1} more like it` : "";
    this.#reader.fault(name, new InputError(`${firstFault.message}${more}`, firstFault.line));
  }

  async *#counted(input: OpenedInput, index: number): AsyncGenerator<Buffer> {
    const { onProgress } = this.#request;
    let bytesDone = 0;
    let told = 0;
    for await (const chunk of input.chunks()) {
      yield chunk;
      bytesDone += chunk.length;
      if (onProgress === undefined || bytesDone - told < PROGRESS_BYTES) continue;
      told = bytesDone;
      onProgress({
        file: input.name,
        filesDone: index,
        files: this.#reader.streams.length,
        bytesDone,
        bytes: input.isPacked ? null : input.storedBytes,
      });
    }
  }
}

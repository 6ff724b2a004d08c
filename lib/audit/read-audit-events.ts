import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AuditEventParser } from "../domain/agents/audit/audit-event-parser.ts";
import { type AuditProblem, EVENT_START, isAuditEvent } from "../domain/agents/audit/parse-audit-event.ts";
import { RecentKeys } from "../domain/agents/audit/recent-keys.ts";
import { stageKey } from "../domain/agents/audit/request-stages.ts";
import type { AuditEvent } from "../domain/agents/audit-event.ts";
import { type AuditFile, isGzip, listAuditFiles, reasonOf, type SkippedFile } from "./audit-files.ts";
import { type RawRecord, RecordSplitter } from "./record-splitter.ts";

/** Where events come from: a file or folder, or bytes with a name for people. */
export type AuditSource =
  | { readonly path: string }
  | { readonly chunks: AsyncIterable<Uint8Array>; readonly name: string };

/** Something in the log that gave no event. */
export interface AuditReadProblem {
  readonly file: string;
  /** From 1; `null` where the file as a whole is meant. */
  readonly line: number | null;
  readonly problem: string;
}

export interface AuditReadSummary {
  /** In the order in which they were read. */
  readonly files: readonly { readonly path: string; readonly events: number }[];
  readonly skippedFiles: readonly SkippedFile[];
  /** As they lie on the disk or came in, packed ones packed. */
  readonly bytes: number;
  /** Handed on: duplicates apart. */
  readonly events: number;
  /** Events of an auditID, stage and time that had come before. */
  readonly duplicates: number;
  /** Events behind other text on their line, which is passed over; also counted among the events. */
  readonly behindOtherText: number;
  /** Files that end within an event: a log that is still written, or was cut. */
  readonly cutOffFiles: number;
  /** The first problems, in the order of the log. */
  readonly problems: readonly AuditReadProblem[];
  /** All problems by what they are, most frequent first. */
  readonly problemCounts: readonly { readonly problem: string; readonly count: number }[];
}

export interface AuditProgress {
  readonly file: string;
  readonly bytes: number;
  /** Of all files together; `null`: not known. */
  readonly totalBytes: number | null;
  readonly events: number;
}

export interface AuditReadOptions {
  /** Longer events are passed over and counted. */
  readonly maxEventBytes?: number;
  /** Problems that are kept one by one; all are counted. */
  readonly maxProblems?: number;
  /** Called for each chunk that was read. */
  readonly onProgress?: (progress: AuditProgress) => void;
  readonly signal?: AbortSignal;
  /** For a pipe that goes on for ever: not to be looked for earlier events. Default: duplicates are left out. */
  readonly keepDuplicates?: boolean;
}

export const MAX_EVENT_BYTES = 1_048_576;
const MAX_PROBLEMS = 20;
const CHUNK_BYTES = 262_144;
/** Of so many events before, at least, a second copy is recognised: two files of 100 MB, as logs are rotated. */
const REMEMBERED_EVENTS = 1 << 18;

/**
 * Reads an audit log and hands its events on one by one, in the order of the log: a file, packed with gzip or not, a
 * folder of them (by the time of their first events), or bytes. Events may come one a line, in EventLists, or printed
 * over many lines. What is no event is counted and named, never thrown; memory does not grow with the log.
 *
 * @throws {AuditSourceError} where the source cannot be read at all; the reason of `signal` once that is aborted.
 */
export async function readAuditEvents(
  source: AuditSource,
  onEvent: (event: AuditEvent) => void,
  options: AuditReadOptions = {},
): Promise<AuditReadSummary> {
  const reading = new AuditReading(onEvent, options);
  if ("chunks" in source) {
    await reading.readFile({ path: source.name, bytes: null, firstAt: null }, source.chunks, null);
    return reading.summary([]);
  }
  const { files, skipped } = await listAuditFiles(source.path);
  const sizes = files.map(({ bytes }) => bytes);
  const total = sizes.every((size) => size !== null) ? sizes.reduce((sum, size) => sum + size, 0) : null;
  for (const file of files) {
    const stream = createReadStream(file.path, { highWaterMark: CHUNK_BYTES });
    await reading.readFile(file, stream, total);
  }
  return reading.summary(skipped);
}

class AuditReading {
  readonly #onEvent: (event: AuditEvent) => void;
  readonly #options: AuditReadOptions;
  readonly #parser = new AuditEventParser();
  readonly #seen: RecentKeys | null;
  readonly #files: { path: string; events: number }[] = [];
  readonly #problems: AuditReadProblem[] = [];
  readonly #counts = new Map<string, number>();
  #latestAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #events = 0;
  #duplicates = 0;
  #behindOtherText = 0;
  #cutOffFiles = 0;

  constructor(onEvent: (event: AuditEvent) => void, options: AuditReadOptions) {
    this.#onEvent = onEvent;
    this.#options = options;
    this.#seen = options.keepDuplicates === true ? null : new RecentKeys(REMEMBERED_EVENTS);
  }

  async readFile(
    file: AuditFile,
    chunks: AsyncIterable<Uint8Array>,
    totalBytes: number | null,
  ): Promise<void> {
    const { path } = file;
    const before = this.#events;
    const { maxEventBytes = MAX_EVENT_BYTES, onProgress, signal } = this.#options;
    const splitter = new RecordSplitter(maxEventBytes, {
      onRecord: (record) => this.#take(record, path),
      onTooLong: (line) => this.#note(path, line, `an event of more than ${maxEventBytes} bytes`),
      onBrokenList: (line) => this.#note(path, line, "a list of events that is cut off"),
    });
    const counted = this.#count(chunks);
    try {
      for await (const chunk of unpacked(counted)) {
        signal?.throwIfAborted();
        splitter.push(chunk);
        onProgress?.({ file: path, bytes: this.#bytes, totalBytes, events: this.#events });
      }
    } catch (error) {
      signal?.throwIfAborted();
      this.#note(path, null, readFault(error));
    }
    splitter.end();
    this.#files.push({ path, events: this.#events - before });
  }

  async *#count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.byteLength;
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
  }

  #take({ text, isItem, line, isWhole }: RawRecord, file: string): void {
    const result = this.#parser.parse(text, isItem);
    if (isAuditEvent(result)) this.#handOn(result);
    else if (text.trim() !== "") this.#salvage(text, result, file, line, isWhole);
  }

  /** An event may stand behind the beginning of another that was cut off, or behind what a collector of logs wrote. */
  #salvage(text: string, fault: AuditProblem, file: string, line: number, isWhole: boolean): void {
    const at = text.lastIndexOf(EVENT_START);
    const result = at > 0 ? this.#parser.parse(text.slice(at)) : fault;
    if (isAuditEvent(result)) {
      this.#behindOtherText++;
      this.#handOn(result);
    } else if (isWhole) this.#note(file, line, result.problem);
    else this.#cutOffFiles++;
  }

  #handOn(event: AuditEvent): void {
    const { stageAt } = event;
    // A copy has the time of what it is a copy of: later than all before it is none.
    const isLatest = stageAt !== null && stageAt > this.#latestAt;
    if (isLatest) this.#latestAt = stageAt;
    if (this.#seen?.add(event.auditId, stageKey(event), isLatest) === false) {
      this.#duplicates++;
      return;
    }
    this.#events++;
    this.#onEvent(event);
  }

  #note(file: string, line: number | null, problem: string): void {
    this.#counts.set(problem, (this.#counts.get(problem) ?? 0) + 1);
    if (this.#problems.length < (this.#options.maxProblems ?? MAX_PROBLEMS))
      this.#problems.push({ file, line, problem });
  }

  summary(skippedFiles: readonly SkippedFile[]): AuditReadSummary {
    return {
      files: this.#files,
      skippedFiles,
      bytes: this.#bytes,
      events: this.#events,
      duplicates: this.#duplicates,
      behindOtherText: this.#behindOtherText,
      cutOffFiles: this.#cutOffFiles,
      problems: this.#problems,
      problemCounts: [...this.#counts]
        .map(([problem, count]) => ({ problem, count }))
        .sort((a, b) => b.count - a.count || (a.problem < b.problem ? -1 : 1)),
    };
  }
}

/** What went wrong while a file was read; other errors are no matter of the file and are thrown on. */
function readFault(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR") return "gzip data that is cut off";
  if (code?.startsWith("Z_") === true) return "gzip data that is damaged";
  return reasonOf(error);
}

/** The bytes themselves, unpacked where they begin as gzip does. */
async function* unpacked(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const first = await chunks.next();
  if (first.done === true) return;
  if (!isGzip(first.value)) {
    yield first.value;
    yield* chunks;
    return;
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  // A fault of either ends the other, and is thrown by the loop below.
  pipeline(Readable.from(rejoin(first.value, chunks)), gunzip, () => undefined);
  for await (const part of gunzip) yield part as Buffer;
}

async function* rejoin(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

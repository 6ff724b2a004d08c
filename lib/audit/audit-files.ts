import type { Dirent } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { createGunzip } from "node:zlib";
import { isAuditEvent, parseAuditEvent } from "../domain/agents/audit/parse-audit-event.ts";
import { RecordSplitter } from "./record-splitter.ts";

/** One file of an audit log. */
export interface AuditFile {
  readonly path: string;
  /** As it lies on the disk; `null` for what is no file. */
  readonly bytes: number | null;
  /** Of the first event within its first megabyte; `null`: it has none, or was not looked into. */
  readonly firstAt: number | null;
}

export interface AuditFileSet {
  /** In the order in which they are read: by their first event, then by name. */
  readonly files: readonly AuditFile[];
  readonly skipped: readonly SkippedFile[];
}

export interface SkippedFile {
  readonly path: string;
  /** A clause for people. */
  readonly reason: string;
}

/** A source that cannot be read at all. */
export class AuditSourceError extends Error {
  override readonly name = "AuditSourceError";
}

const MAX_FILES = 10_000;
const MAX_DEPTH = 8;
const PEEK_BYTES = 1_048_576;
const FIRST_PEEK_BYTES = 65_536;

/**
 * The files of an audit log: the file itself, or those of a folder and of the folders in it that begin with an event
 * in their first megabyte. Hidden ones, links to folders and what is no log are left out and named.
 *
 * @throws {AuditSourceError} where the path cannot be read, or a folder has no audit log in it.
 */
export async function listAuditFiles(path: string): Promise<AuditFileSet> {
  const found = await statOf(path);
  if (!found.isDirectory()) {
    return { files: [{ path, bytes: found.isFile() ? found.size : null, firstAt: null }], skipped: [] };
  }
  const skipped: SkippedFile[] = [];
  const paths = await walk(path, 0, skipped);
  const files: AuditFile[] = [];
  for (const each of paths) {
    const outcome = await peek(each);
    if (typeof outcome === "string") skipped.push({ path: each, reason: outcome });
    else files.push(outcome);
  }
  if (files.length === 0) {
    throw new AuditSourceError(
      `${path}: expected audit logs in this folder, found none${paths.length === 0 ? "" : ` among ${paths.length} files`}.`,
    );
  }
  files.sort((a, b) => (a.firstAt ?? 0) - (b.firstAt ?? 0) || compareNames(a.path, b.path));
  return { files, skipped };
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    throw new AuditSourceError(`${path}: ${reasonOf(error)}.`);
  }
}

/** Why a file could not be read, as a clause. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  if (code === "ENOENT") return "this file does not exist";
  return `this file cannot be read (${code})`;
}

async function walk(folder: string, depth: number, skipped: SkippedFile[]): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (depth === 0) throw new AuditSourceError(`${folder}: ${reasonOf(error)}.`);
    skipped.push({ path: folder, reason: reasonOf(error) });
    return [];
  }
  entries.sort((a, b) => compareNames(a.name, b.name));
  const paths: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) {
      if (depth >= MAX_DEPTH) skipped.push({ path, reason: `more than ${MAX_DEPTH} folders deep` });
      else paths.push(...(await walk(path, depth + 1, skipped)));
    } else if (entry.isFile()) paths.push(path);
    else if (entry.isSymbolicLink()) {
      const target = await stat(path).catch(() => null);
      if (target?.isFile() === true) paths.push(path);
      else skipped.push({ path, reason: "a link to something other than a file" });
    }
    if (paths.length > MAX_FILES) {
      throw new AuditSourceError(`${folder}: expected at most ${MAX_FILES} files.`);
    }
  }
  return paths;
}

/** The file with the time of its first event, or why it is left out. */
async function peek(path: string): Promise<AuditFile | string> {
  try {
    const { size } = await stat(path);
    for (const length of [FIRST_PEEK_BYTES, PEEK_BYTES]) {
      const firstAt = await firstEventAt(path, length);
      if (firstAt !== undefined) return { path, bytes: size, firstAt };
      if (size <= length) break;
    }
    return size === 0 ? "it is empty" : "no audit event in its first megabyte";
  } catch (error) {
    return reasonOf(error);
  }
}

/** Time of the first event in the first bytes, `null` where that has none; `undefined` where no event is found. */
async function firstEventAt(path: string, length: number): Promise<number | null | undefined> {
  const handle = await open(path);
  try {
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, 0);
    const head = buffer.subarray(0, bytesRead);
    return findFirst(isGzip(head) ? await gunzipHead(head) : head);
  } finally {
    await handle.close();
  }
}

function findFirst(head: Buffer): number | null | undefined {
  let first: number | null | undefined;
  const splitter = new RecordSplitter(head.length, {
    onRecord: ({ text, isItem }) => {
      if (first !== undefined && first !== null) return;
      const at = text.indexOf("{");
      const event = at < 0 ? null : parseAuditEvent(text.slice(at), isItem);
      if (event !== null && isAuditEvent(event)) first = event.stageAt ?? event.receivedAt;
    },
    onTooLong: () => undefined,
    onBrokenList: () => undefined,
  });
  splitter.push(head);
  splitter.end();
  return first;
}

const GZIP_MAGIC = [0x1f, 0x8b] as const;
export const isGzip = (head: Uint8Array): boolean => head[0] === GZIP_MAGIC[0] && head[1] === GZIP_MAGIC[1];

/** What the first bytes of a gzip file unpack to, at most as much as is looked at. */
async function gunzipHead(head: Buffer): Promise<Buffer> {
  const gunzip = createGunzip();
  const parts: Buffer[] = [];
  let bytes = 0;
  gunzip.end(head);
  try {
    for await (const part of gunzip) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes >= PEEK_BYTES) break;
    }
  } catch {
    // The head ends within the packed data, or the file is damaged: what came out of it is all there is to see here.
  }
  return Buffer.concat(parts, bytes);
}

/** `audit-2.log` before `audit-10.log`. */
export function compareNames(a: string, b: string): number {
  return COLLATOR.compare(basename(a), basename(b)) || COLLATOR.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

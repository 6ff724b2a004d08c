import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { z } from "zod";
import { AppError } from "../errors.ts";

/** From this many bytes on, JSON is compressed: below, the frame and the time cost more than they save. */
const COMPRESSED_FROM_BYTES = 4096;

/** Larger content than any part is taken for damage, not decompressed without end. */
const DECOMPRESSED_MAX_BYTES = 512_000_000;

export interface EncodedValue {
  readonly encoding: "json" | "json+zstd";
  readonly content: Uint8Array<ArrayBuffer>;
}

/** A value as it is stored: JSON in UTF-8, compressed where that pays. */
export function encodeValue(value: unknown): EncodedValue {
  const json = Buffer.from(JSON.stringify(value), "utf8");
  if (json.byteLength < COMPRESSED_FROM_BYTES) return { encoding: "json", content: Uint8Array.from(json) };
  return { encoding: "json+zstd", content: Uint8Array.from(zstdCompressSync(json)) };
}

/**
 * The inverse of `encodeValue`, checked against `schema`.
 * @throws AppError `stored-value-unreadable` with `what` in its message.
 */
export function decodeValue<T>(
  schema: z.ZodType<T>,
  { encoding, content }: { readonly encoding: string; readonly content: Uint8Array },
  what: string,
): T {
  return guardDecoding(what, () => {
    if (encoding === "json") return parse(schema, Buffer.from(content).toString("utf8"));
    if (encoding !== "json+zstd") throw new Error(`unknown encoding ${encoding}`);
    const json = zstdDecompressSync(content, { maxOutputLength: DECOMPRESSED_MAX_BYTES });
    return parse(schema, json.toString("utf8"));
  });
}

/** JSON text of a column, checked against `schema`. @throws AppError `stored-value-unreadable`. */
export function decodeJson<T>(schema: z.ZodType<T>, json: string, what: string): T {
  return guardDecoding(what, () => parse(schema, json));
}

/** The same, with a stand-in where the column does not parse. */
export function decodeJsonOr<T>(schema: z.ZodType<T>, json: string, otherwise: T): T {
  try {
    return parse(schema, json);
  } catch {
    return otherwise;
  }
}

function parse<T>(schema: z.ZodType<T>, json: string): T {
  return schema.parse(JSON.parse(json));
}

function guardDecoding<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new AppError("stored-value-unreadable", `${what} does not parse.`, { cause: error });
  }
}

/** `2026-11-30 09:41:40 UTC`, for messages. */
export function formatInstant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** When a body is compressed for a client that accepts gzip. */
export type Compression =
  /** As API responses: bodies over 128 KiB. Source: apiserver responsewriters/writers.go. */
  | "over-threshold"
  /** As /metrics and the OpenAPI handlers. */
  | "always"
  | "never";

export const GZIP_THRESHOLD_BYTES = 128 * 1024;

/** A constant part of a body that is compressed once for all requests (a gzip file may have several members). */
export interface PrecompressedPart {
  readonly plain: Buffer;
  gzipped(): Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | AsyncIterable<string | Buffer> | readonly (string | PrecompressedPart)[];
  readonly compression: Compression;
  /** A watch: the answer never counts as complete by itself, and is not compressed. */
  readonly isLongRunning?: boolean;
}

export function jsonReply(
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: `${JSON.stringify(value)}\n`,
    compression: "over-threshold",
  };
}

export function textReply(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
    body,
    compression: "never",
  };
}

const MEBIBYTE = 1024 * 1024;

/** Bounds of what is read: an input beyond one of them is named and not read, and the others are. */
export interface InputLimits {
  /** Of one file that is not read as a stream, packed or not. */
  readonly fileBytes: number;
  /** Of one JSON document that is no list, and of one YAML document. Objects in etcd are at most about 1.5 MiB. */
  readonly documentBytes: number;
  readonly yamlDocumentBytes: number;
  /** Of one line of a stream. */
  readonly lineBytes: number;
  /** Levels of objects and lists inside each other. */
  readonly depth: number;
  /** Nodes that aliases of one YAML document may unfold to, as a multiple. */
  readonly aliases: number;
  /** Objects are kept as they are up to here, and packed from here on. */
  readonly plainObjectBytes: number;
}

export const INPUT_LIMITS: InputLimits = {
  fileBytes: 1024 * MEBIBYTE,
  documentBytes: 64 * MEBIBYTE,
  yamlDocumentBytes: 16 * MEBIBYTE,
  lineBytes: 16 * MEBIBYTE,
  depth: 500,
  aliases: 100,
  plainObjectBytes: 8 * MEBIBYTE,
};

/** `16 MiB`, `1 GiB`. */
export function formatLimit(bytes: number): string {
  return bytes >= 1024 * MEBIBYTE ? `${bytes / (1024 * MEBIBYTE)} GiB` : `${bytes / MEBIBYTE} MiB`;
}

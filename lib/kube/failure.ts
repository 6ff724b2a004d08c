import { errors } from "undici";
import type { ApiServerErrorReason, BudgetShortfall } from "./api-server-error.ts";
import { BodyError } from "./body-error.ts";
import { CONNECT_SECONDS, UnusableTlsError } from "./dispatcher.ts";

/** A failure before it is known which request it belongs to. The detail may still hold foreign text. */
export interface Failure {
  readonly reason: ApiServerErrorReason;
  readonly detail: string;
  readonly code: string | null;
  /** The connection was closed before an answer came. */
  readonly wasReset: boolean;
  readonly budget?: BudgetShortfall;
}

/** Why we stop reading; passed as the reason of an abort, so that it comes back as the error of the stream. */
export class StopReadingError extends Error {
  override readonly name = "StopReadingError";
  readonly failure: Failure;

  constructor(reason: ApiServerErrorReason, detail: string, budget?: BudgetShortfall) {
    super(detail);
    this.failure = {
      reason,
      detail,
      code: null,
      wasReset: false,
      ...(budget === undefined ? {} : { budget }),
    };
  }
}

/** Where in the exchange it failed: the same code means different things. */
export type Phase = "before-headers" | "body";

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused: nothing listens there",
  ENOTFOUND: "the name is not known",
  EAI_AGAIN: "the name could not be looked up",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  ETIMEDOUT: "nobody answered",
  UND_ERR_CONNECT_TIMEOUT: `no connection within ${CONNECT_SECONDS} s`,
  UND_ERR_PRX_CONN: "the proxy closed the connection",
};

const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the certificate of the server has expired",
  CERT_NOT_YET_VALID: "the certificate of the server is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the certificate of the server is signed by itself, not by the CA of the kubeconfig",
  SELF_SIGNED_CERT_IN_CHAIN:
    "the certificate of the server is signed by another CA than that of the kubeconfig",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate of the server is signed by a CA that is not known",
  UNABLE_TO_GET_ISSUER_CERT: "the certificate of the server is signed by a CA that is not known",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the certificate of the server is signed by a CA that is not known",
  CERT_SIGNATURE_FAILURE: "the certificate of the server is not signed by the CA of the kubeconfig",
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate of the server is not valid for this address",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
};

const RESET_CODES: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_CLOSED",
  "UND_ERR_DESTROYED",
]);

/** Puts any error of the network, TLS, HTTP, decompression or body layer into the closed union. Pure. */
export function toFailure(error: unknown, phase: Phase): Failure {
  if (error instanceof StopReadingError) return error.failure;
  if (error instanceof BodyError) return plain(error.reason, error.message, null);
  if (error instanceof UnusableTlsError) return plain("tls", error.message, null);
  if (error instanceof errors.HTTPParserError) return plain("bad-body", "the answer is no HTTP", null);
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : "";
  const proxyStatus =
    /^Proxy response \((\d{3})\)/.exec(message)?.[1] ??
    /Authentication Required \((407)\)/.exec(message)?.[1];
  if (proxyStatus !== undefined) return plain("unreachable", `the proxy answered ${proxyStatus}`, code);
  if (code === null)
    return plain("unreachable", `the request failed: ${message || "for an unknown reason"}`, null);
  const unreachable = UNREACHABLE[code];
  if (unreachable !== undefined && phase === "before-headers") return plain("unreachable", unreachable, code);
  if (isTlsCode(code)) return plain("tls", CERTIFICATE[code] ?? `the TLS handshake failed (${code})`, code);
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return plain("too-large", "the headers of the answer are too large", code);
  if (code === "Z_BUF_ERROR") return plain("truncated", "the compressed body ended before its end", code);
  if (code.startsWith("Z_")) return plain("bad-body", "the body is said to be gzip and is not", code);
  if (phase === "body")
    return plain("truncated", `the connection was closed inside the body (${code})`, code);
  if (RESET_CODES.has(code)) {
    return {
      reason: "unreachable",
      detail: "the connection was closed before an answer",
      code,
      wasReset: true,
    };
  }
  return plain("unreachable", `the request failed (${code})`, code);
}

function plain(reason: ApiServerErrorReason, detail: string, code: string | null): Failure {
  return { reason, detail, code, wasReset: false };
}

function isTlsCode(code: string): boolean {
  return (
    code in CERTIFICATE ||
    code === "EPROTO" ||
    code === "UND_ERR_PRX_TLS" ||
    /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)/.test(
      code,
    )
  );
}

/** The code of an error, or of the first of those it gathers (one per address that was tried). */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error.cause === undefined ? null : codeOf(error.cause);
}

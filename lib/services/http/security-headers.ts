/** What a browser may do with an answer of ours. */
export interface HeaderChoice {
  /** A page may run scripts of ours; anything else runs nothing. */
  readonly kind: "page" | "api";
  /** Fresh for every page: scripts in the page carry it. */
  readonly nonce: string;
  /** The development server evaluates code to reload modules; the built one never does. */
  readonly isDevelopment: boolean;
}

/**
 * Content-Security-Policy of an answer. Pages: scripts of this origin and those that carry the nonce, styles of this
 * origin and in attributes (widths of bars are set there, and the toast and dialog libraries insert rules), workers
 * from blobs, nothing from elsewhere. The API: nothing at all.
 */
export function contentSecurityPolicy({ kind, nonce, isDevelopment }: HeaderChoice): string {
  if (kind === "api")
    return "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");
}

/** Headers of every answer besides the policy. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy":
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-frame-options": "DENY",
};

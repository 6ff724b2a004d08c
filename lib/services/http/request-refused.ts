/** A request that is refused for its form, before any service sees it. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421;
  readonly code:
    | "body-unreadable"
    | "cross-site"
    | "body-too-large"
    | "method-not-allowed"
    | "not-found"
    | "unauthorized"
    | "unsupported-media-type"
    | "unknown-host";

  /** Headers that the answer must carry. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: RequestRefused["status"],
    code: RequestRefused["code"],
    message: string,
    headers: RequestRefused["headers"] = {},
  ) {
    super(message);
    this.headers = headers;
    this.status = status;
    this.code = code;
  }
}

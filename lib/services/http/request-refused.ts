/** A request that is refused for its form, before any service sees it. */
export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly status: 400 | 403 | 413 | 415 | 421;
  readonly code:
    | "body-unreadable"
    | "cross-site"
    | "body-too-large"
    | "unsupported-media-type"
    | "unknown-host";

  constructor(status: RequestRefused["status"], code: RequestRefused["code"], message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

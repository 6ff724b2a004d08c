/** A `Status` of the API, as it answers errors. */
export interface StatusOptions {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export function statusObject({ code, reason, message, details, metadata }: StatusOptions) {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: metadata ?? {},
    status: "Failure",
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** A handler's refusal; the server turns it into a Status with this code. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: StatusOptions;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: StatusOptions, headers: Readonly<Record<string, string>> = {}) {
    super(status.message);
    this.status = status;
    this.headers = headers;
  }
}

export const badRequest = (message: string) => new StatusError({ code: 400, reason: "BadRequest", message });

export function notFound(groupResourceName: string, name: string): StatusError {
  return new StatusError({
    code: 404,
    reason: "NotFound",
    message: `${groupResourceName} "${name}" not found`,
    details: { name, kind: groupResourceName },
  });
}

/** What the API server says of a path it does not serve. */
export const pathNotFound = () =>
  new StatusError({
    code: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
    details: {},
  });

export function invalid(kind: string, field: string, text: string): StatusError {
  const message = `${kind}.meta.k8s.io "" is invalid: ${field}: ${text}`;
  return new StatusError({ code: 422, reason: "Invalid", message, details: { group: "meta.k8s.io", kind } });
}

/** A continue token or resource version older than what is kept. */
export function expired(continueToken: string | null): StatusError {
  const hint =
    continueToken === null ? "" : " You can use the token in metadata.continue for an inconsistent list.";
  return new StatusError({
    code: 410,
    reason: "Expired",
    message: `The provided continue parameter is too old to display a consistent list result.${hint}`,
    ...(continueToken === null ? {} : { metadata: { continue: continueToken } }),
  });
}

/** A resource version the server has not reached yet. */
export function tooLargeResourceVersion(asked: string, current: string): StatusError {
  return new StatusError(
    {
      code: 504,
      reason: "Timeout",
      message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
      details: {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      },
    },
    { "retry-after": "1" },
  );
}

/** One request, as the server saw it. Never the token: only whether there was one. */
export interface LoggedRequest {
  readonly at: number;
  /** Host name of the API server that had it. */
  readonly server: string;
  /** True where it came by the shared address, false where by the server's own. */
  readonly isThroughFront: boolean;
  readonly method: string;
  /** Decoded path without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly userAgent: string | null;
  readonly accept: string | null;
  readonly acceptEncoding: string | null;
  readonly ifNoneMatch: string | null;
  readonly authorization: "bearer" | "other" | "none";
  /** `null` while it is not answered, and for ever where a fault left it hanging. */
  readonly status: number | null;
  /** Body bytes on the wire, after compression; complete once `isFinished`. */
  readonly bytes: number;
  readonly isFinished: boolean;
}

type Open = { -readonly [K in keyof LoggedRequest]: LoggedRequest[K] };

/** What was asked, oldest first. Holds the newest `limit` requests; `total` counts all. */
export class RequestLog {
  readonly #limit: number;
  #entries: Open[] = [];
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  open(entry: Omit<LoggedRequest, "status" | "bytes" | "isFinished">): Open {
    const open: Open = { ...entry, status: null, bytes: 0, isFinished: false };
    this.#total += 1;
    this.#entries.push(open);
    // Trimmed in blocks: shifting one at a time is quadratic.
    if (this.#entries.length > this.#limit * 2) this.#entries = this.#entries.slice(-this.#limit);
    return open;
  }

  get total(): number {
    return this.#total;
  }

  all(): readonly LoggedRequest[] {
    return this.#entries.slice(-this.#limit);
  }

  /** Requests whose path is this text or matches this expression. */
  of(path: string | RegExp): readonly LoggedRequest[] {
    return this.all().filter((entry) =>
      typeof path === "string" ? entry.path === path : path.test(entry.path),
    );
  }

  clear(): void {
    this.#entries = [];
    this.#total = 0;
  }
}

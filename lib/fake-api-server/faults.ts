/** What can be wrong with an answer. Each is switched on by a rule and can be seen on the socket. */
export type Fault =
  /** A Status with this code: 401, 403, 410, 429, 500, 503, … */
  | {
      readonly kind: "status";
      readonly code: number;
      readonly message?: string;
      /** Sent as Retry-After; by default 429 has 1 and the others none. */
      readonly retryAfterSeconds?: number;
    }
  /** 410 Expired, for requests that carry a continue token only. */
  | { readonly kind: "expired-continue" }
  /** Accepts the request and never answers. */
  | { readonly kind: "hang" }
  /** Drops the connection without an answer. */
  | { readonly kind: "reset" }
  /** Sends the right body in small pieces with pauses. */
  | { readonly kind: "drip"; readonly chunkBytes: number; readonly pauseMs: number }
  /** Promises the whole body by Content-Length, sends this many bytes of it and closes. */
  | { readonly kind: "truncate"; readonly afterBytes: number }
  /** Says gzip and sends a stream that breaks in the middle. */
  | { readonly kind: "broken-gzip" }
  /** 200 with an HTML page, as a proxy's log-in page. */
  | { readonly kind: "html" }
  /** 200 as JSON that does not parse. */
  | { readonly kind: "invalid-json" }
  | { readonly kind: "redirect"; readonly location: string }
  /** A valid beginning, then further bytes for ever. */
  | { readonly kind: "endless" }
  /** Adds this much to /metrics. */
  | { readonly kind: "huge-metrics"; readonly bytes: number }
  /** Date header, Lease times and all other times are off by this much. */
  | { readonly kind: "clock-skew"; readonly seconds: number };

export interface FaultRule {
  readonly fault: Fault;
  /** Absent: every path. A text matches as a prefix of the path. */
  readonly path?: string | RegExp;
  /** Host name of one API server; absent: all. */
  readonly server?: string;
  /** How many requests it catches before it is spent; absent: until removed. */
  readonly times?: number;
}

export interface FaultSubject {
  readonly path: string;
  readonly server: string;
  readonly hasContinue: boolean;
}

/** The faults switched on now. The first rule that fits a request wins; clock skew joins any other. */
export class FaultSwitch {
  #rules: { rule: FaultRule; left: number }[] = [];

  /** Switches a fault on; call the result to switch it off again. */
  add(rule: FaultRule): () => void {
    const entry = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules.push(entry);
    return () => {
      this.#rules = this.#rules.filter((other) => other !== entry);
    };
  }

  clear(): void {
    this.#rules = [];
  }

  /** The fault this request meets, counted; `null`: none. */
  take(subject: FaultSubject): Fault | null {
    const entry = this.#rules.find(
      ({ rule, left }) => left > 0 && rule.fault.kind !== "clock-skew" && fits(rule, subject),
    );
    if (!entry) return null;
    entry.left -= 1;
    return entry.rule.fault;
  }

  /** Seconds by which this server's clock is off for this request. */
  clockSkewSeconds(subject: FaultSubject): number {
    const entry = this.#rules.find(({ rule }) => rule.fault.kind === "clock-skew" && fits(rule, subject));
    return entry?.rule.fault.kind === "clock-skew" ? entry.rule.fault.seconds : 0;
  }
}

function fits(rule: FaultRule, subject: FaultSubject): boolean {
  if (rule.server !== undefined && rule.server !== subject.server) return false;
  if (rule.fault.kind === "expired-continue" && !subject.hasContinue) return false;
  if (rule.fault.kind === "huge-metrics" && subject.path !== "/metrics") return false;
  if (rule.path === undefined) return true;
  return typeof rule.path === "string" ? subject.path.startsWith(rule.path) : rule.path.test(subject.path);
}

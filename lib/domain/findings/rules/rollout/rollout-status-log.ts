import type { SourcePosition } from "../../finding.ts";

/** A rollout that somebody waited for and gave up, by the words of `kubectl rollout status` and helm. */
export interface AbandonedRollout {
  readonly kind: string;
  readonly name: string;
  /** The last count that was printed; `null`: none. */
  readonly updated: number | null;
  readonly of: number | null;
  readonly position: SourcePosition;
}

const WAITING = /Waiting for (daemon set|daemonset|deployment|statefulset)(?: spec update)? "([^"]+)"/i;
const PROGRESS = /(\d+) (?:out )?of (\d+) (?:new |updated )?(?:pods|replicas)/;
const GIVEN_UP =
  /timed out waiting for the condition|exceeded its progress deadline|(?:UPGRADE|INSTALLATION) FAILED:.*(?:timed out|context deadline exceeded)/;
const LINE_LIMIT = 5000;
const KINDS: Readonly<Record<string, string>> = {
  "daemon set": "DaemonSet",
  daemonset: "DaemonSet",
  deployment: "Deployment",
  statefulset: "StatefulSet",
};

/** Follows logs of deployments, one line after the other. */
export class RolloutStatusLog {
  readonly #abandoned: AbandonedRollout[] = [];
  #current: Omit<AbandonedRollout, "position"> | null = null;

  take(line: string, position: SourcePosition): void {
    if (line.length > LINE_LIMIT) return;
    const waiting = WAITING.exec(line);
    if (waiting?.[2] !== undefined) {
      const progress = PROGRESS.exec(line);
      this.#current = {
        kind: KINDS[waiting[1]?.toLowerCase() ?? ""] ?? "DaemonSet",
        name: waiting[2],
        updated: progress === null ? null : Number(progress[1]),
        of: progress === null ? null : Number(progress[2]),
      };
    } else if (/successfully rolled out/.test(line)) this.#current = null;
    else if (this.#current !== null && GIVEN_UP.test(line)) {
      if (this.#abandoned.length < ABANDONED_KEPT) this.#abandoned.push({ ...this.#current, position });
      this.#current = null;
    }
  }

  get abandoned(): readonly AbandonedRollout[] {
    return this.#abandoned;
  }
}

const ABANDONED_KEPT = 1000;

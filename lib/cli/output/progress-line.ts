import type { AuditProgress } from "../../audit/read-audit-events.ts";
import { formatNumber } from "../../domain/rollout/figure.ts";
import { formatBytes } from "../../format/bytes.ts";
import { plain } from "./price.ts";
import { printable } from "./style.ts";

const SHOWN_EVERY_MS = 200;

/** One line on a terminal that is written anew as work goes on; nothing where the stream is none. */
export class ProgressLine {
  readonly #stream: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
  readonly #startedAt = performance.now();
  #shownAt = Number.NEGATIVE_INFINITY;
  #isShown = false;

  constructor(stream: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }) {
    this.#stream = stream;
  }

  /** Since work began. */
  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Shows a text, five times a second at most. */
  show(text: () => string): void {
    const now = performance.now();
    if (this.#stream.isTTY !== true || now - this.#shownAt < SHOWN_EVERY_MS) return;
    this.#shownAt = now;
    this.#isShown = true;
    this.#stream.write(`\r\u001b[2K${text().slice(0, (this.#stream.columns ?? 80) - 1)}`);
  }

  clear(): void {
    if (this.#isShown) this.#stream.write("\r\u001b[2K");
  }
}

/** `37 %  1.2 GB  1,204,331 events  182,000 a second  audit.log.3`. */
export function progressText({ file, bytes, totalBytes, events }: AuditProgress, seconds: number): string {
  const share =
    totalBytes === null || totalBytes === 0 ? "" : `${Math.floor((100 * bytes) / totalBytes)} %  `;
  const rate = seconds > 0 ? `  ${formatNumber(Math.round(events / seconds))} a second` : "";
  return `${share}${plain(formatBytes(bytes))}  ${formatNumber(events)} events${rate}  ${printable(file)}`;
}

import { BodyError } from "./body-error.ts";
import { parseMetricLine } from "./metric-line.ts";
import type { MetricNames } from "./metric-names.ts";

/** One sample of a Prometheus text page. */
export interface MetricSample {
  readonly name: string;
  /** Label values with `\\`, `\"` and `\n` undone. */
  readonly labels: Readonly<Record<string, string>>;
  /** May be NaN, Infinity or -Infinity. */
  readonly value: number;
  /** As written: milliseconds in the text format, seconds in OpenMetrics; null when absent. */
  readonly timestamp: number | null;
}

/** What a scan came across. */
export interface MetricsScanSummary {
  /** Wanted samples handed over. */
  readonly samples: number;
  /** Lines of any kind. */
  readonly lines: number;
  /** Wanted lines that could not be read, and were left out. */
  readonly malformedLines: number;
}

/** What to look for in a page, and where to put it. */
export interface MetricsScannerOptions {
  readonly names: MetricNames;
  /** Called once per wanted sample, in order. */
  readonly onSample: (sample: MetricSample) => void;
  /** Longest line. Default 1 MiB. */
  readonly maxLineBytes?: number;
}

const NEWLINE = 0x0a;
const HASH = 0x23;

/**
 * Reads a `/metrics` page as it comes and holds nothing of it but the line that is being received. The name of each
 * line is compared as bytes; only wanted lines are decoded. Comments are skipped, so types are not known.
 *
 * Every line of the format ends in a line feed. A page that does not is cut short, and a cut value looks like a
 * smaller one, so `end` refuses it.
 */
export class MetricsScanner {
  readonly #names: MetricNames;
  readonly #onSample: (sample: MetricSample) => void;
  readonly #maxLineBytes: number;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #samples = 0;
  #lines = 0;
  #malformedLines = 0;
  /** Lines that show the format: a comment, or a wanted sample that could be read. */
  #recognisedLines = 0;
  #firstLine: string | null = null;

  constructor(options: MetricsScannerOptions) {
    this.#names = options.names;
    this.#onSample = options.onSample;
    this.#maxLineBytes = options.maxLineBytes ?? 1024 * 1024;
  }

  /** @throws BodyError `too-large` where a line does not end within the limit */
  push(chunk: Buffer): void {
    let start = 0;
    if (this.#pieceBytes > 0) {
      const end = chunk.indexOf(NEWLINE);
      this.#carry(end < 0 ? chunk : chunk.subarray(0, end));
      if (end < 0) return;
      const line = Buffer.concat(this.#pieces, this.#pieceBytes);
      this.#pieces = [];
      this.#pieceBytes = 0;
      this.#readLine(line, 0, line.length);
      start = end + 1;
    }
    for (let end = chunk.indexOf(NEWLINE, start); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#readLine(chunk, start, end);
      start = end + 1;
    }
    // A copy: a view would keep the chunk alive, and chunks may be far larger than a line.
    if (start < chunk.length) this.#carry(Buffer.from(chunk.subarray(start)));
  }

  /** @throws BodyError `truncated` where the last line does not end, `bad-body` where the page holds no metrics */
  end(): MetricsScanSummary {
    if (this.#pieceBytes > 0 && this.#lines > 0) {
      throw new BodyError("truncated", "the metrics page ended inside a line");
    }
    if (this.#recognisedLines === 0) {
      const first = this.#firstLine ?? Buffer.concat(this.#pieces).subarray(0, 80).toString("utf8");
      throw new BodyError(
        "bad-body",
        first === ""
          ? "the metrics page is empty"
          : `this is no metrics page: it begins with ${JSON.stringify(first)}`,
      );
    }
    return { samples: this.#samples, lines: this.#lines, malformedLines: this.#malformedLines };
  }

  #carry(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    if (this.#pieceBytes > this.#maxLineBytes) {
      throw new BodyError("too-large", `a line of the metrics page exceeds ${this.#maxLineBytes} bytes`);
    }
  }

  #readLine(bytes: Buffer, start: number, end: number): void {
    this.#lines++;
    if (this.#firstLine === null && end > start) {
      this.#firstLine = bytes.subarray(start, Math.min(end, start + 80)).toString("utf8");
    }
    if (bytes[start] === HASH && end > start) {
      this.#recognisedLines++;
      return;
    }
    const nameEnd = this.#names.match(bytes, start, end);
    if (nameEnd < 0) return;
    const sample = parseMetricLine(
      bytes.toString("latin1", start, nameEnd),
      bytes.toString("utf8", nameEnd, end),
    );
    if (sample === null) {
      this.#malformedLines++;
      return;
    }
    this.#recognisedLines++;
    this.#samples++;
    this.#onSample(sample);
  }
}

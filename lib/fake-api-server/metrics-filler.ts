import { gzipSync } from "node:zlib";
import type { PrecompressedPart } from "./reply.ts";

/** The family that makes real /metrics pages long; its series come in where the alphabet puts them. */
export const FILLER_FAMILY = "apiserver_request_duration_seconds";

const BOUNDS = [
  "0.005",
  "0.025",
  "0.05",
  "0.1",
  "0.2",
  "0.4",
  "0.6",
  "0.8",
  "1",
  "1.25",
  "1.5",
  "2",
  "3",
  "4",
  "5",
  "6",
  "8",
  "10",
  "15",
  "20",
  "30",
  "45",
  "60",
  "+Inf",
];
const VERBS = ["APPLY", "DELETE", "GET", "LIST", "PATCH", "POST", "PUT", "WATCH"];
const BLOCK_BYTES = 1024 * 1024;

const made = new Map<number, PrecompressedPart>();

/** Histogram series of about `bytes` bytes, each a series of its own; made once per size and shared. */
export function metricsFiller(bytes: number): PrecompressedPart {
  const known = made.get(bytes);
  if (known) return known;
  const blocks: Buffer[] = [];
  let length = 0;
  let series = 0;
  while (length < bytes) {
    let text = blocks.length === 0 ? headLines() : "";
    const wanted = Math.min(BLOCK_BYTES, bytes - length);
    while (text.length < wanted) text += seriesLines(series++);
    const block = Buffer.from(text);
    blocks.push(block);
    length += block.length;
  }
  const plain = Buffer.concat(blocks);
  let gzipped: Buffer | null = null;
  const part: PrecompressedPart = {
    plain,
    gzipped: () => {
      gzipped ??= gzipSync(plain, { level: 1 });
      return gzipped;
    },
  };
  made.set(bytes, part);
  return part;
}

const headLines = () =>
  `# HELP ${FILLER_FAMILY} [STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.\n# TYPE ${FILLER_FAMILY} histogram\n`;

function seriesLines(index: number): string {
  const verb = VERBS[index % VERBS.length] ?? "GET";
  const group = `team${Math.floor(index / 64)}.example.com`;
  const resource = `widgets${Math.floor(index / VERBS.length) % 8}`;
  const labels = `component="apiserver",dry_run="",group="${group}",resource="${resource}",scope="resource",subresource="",verb="${verb}",version="v1"`;
  let text = "";
  for (const [bucket, bound] of BOUNDS.entries()) {
    text += `${FILLER_FAMILY}_bucket{${labels},le="${bound}"} ${index + bucket * 7}\n`;
  }
  const last = index + (BOUNDS.length - 1) * 7;
  return `${text}${FILLER_FAMILY}_sum{${labels}} ${(last * 0.021).toFixed(6)}\n${FILLER_FAMILY}_count{${labels}} ${last}\n`;
}

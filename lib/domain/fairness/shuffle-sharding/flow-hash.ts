import { sha256 } from "./sha256.ts";

/** An unsigned 64-bit integer in two halves, exact in doubles: `high` × 2³² + `low`. */
export interface FlowHash {
  readonly high: number;
  readonly low: number;
}

/** The hash of a flow where nothing is dealt: levels with one queue or none do not compute one. */
export const NO_HASH: FlowHash = { high: 0, low: 0 };

const encoder = new TextEncoder();

/**
 * The hash of a flow, from which its hand of queues is dealt: SHA-256 over the FlowSchema's name, a zero byte and the
 * flow distinguisher (UTF-8), of which the first eight bytes, little-endian, are kept.
 * Source: apiserver pkg/util/flowcontrol/apf_controller.go, v1.26 to v1.37.
 */
export function hashFlow(flowSchemaName: string, flowDistinguisher: string): FlowHash {
  const [first = 0, second = 0] = sha256(encoder.encode(`${flowSchemaName}\0${flowDistinguisher}`));
  return { high: reverseBytes(second), low: reverseBytes(first) };
}

/** The hash as upstream prints it: an unsigned decimal number. */
export function formatFlowHash({ high, low }: FlowHash): string {
  return String((BigInt(high) << 32n) | BigInt(low));
}

/** The reverse of `formatFlowHash`; `null` for what is no unsigned decimal integer of 64 bits. */
export function parseFlowHash(text: string): FlowHash | null {
  if (!/^\d{1,20}$/.test(text)) return null;
  const value = BigInt(text);
  return value >> 64n === 0n ? { high: Number(value >> 32n), low: Number(value & 0xffffffffn) } : null;
}

const reverseBytes = (word: number): number =>
  ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;

/** The few DER encodings (ITU-T X.690) that a certificate needs. Each function returns one complete element. */

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(n: number): Buffer {
  if (n < 0x80) return Buffer.from([n]);
  const bytes: number[] = [];
  for (let rest = n; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

export function set(...parts: readonly Buffer[]): Buffer {
  return element(0x31, Buffer.concat(parts));
}

/** A whole number from its big-endian bytes, which must be minimal and with the top bit clear. */
export function integer(bytes: Buffer): Buffer {
  return element(0x02, bytes);
}

export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

export function octetString(bytes: Buffer): Buffer {
  return element(0x04, bytes);
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text, "utf8"));
}

/** Two-digit years, good until 2049. */
export function utcTime(instant: Date): Buffer {
  const digits = instant.toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return element(0x17, Buffer.from(`${digits}Z`, "ascii"));
}

/** `[n]` around a complete element. */
export function explicit(n: number, inner: Buffer): Buffer {
  return element(0xa0 | n, inner);
}

/** `[n]` in place of the element's own tag, for primitive contents. */
export function context(n: number, content: Buffer): Buffer {
  return element(0x80 | n, content);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): readonly number[] {
  const groups = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128))
    groups.unshift(0x80 | (rest % 128));
  return groups;
}

export function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

import { redact } from "../kube/redact.ts";

const MAX_CHARACTERS = 64_000;

export interface RelayTargets {
  /** A line that the other process's logger wrote: JSON, redacted there. */
  readonly onLogLine: (line: string) => void;
  /** What came besides, several lines together, with what looks like a credential taken out. */
  readonly onText: (text: string) => void;
}

export interface OutputRelay {
  add(chunk: Buffer): void;
  /** Passes on what is held back; call it when the process has ended. */
  flush(): void;
}

/**
 * Passes on what another process writes on standard error. Its log lines go on at once. Anything else (a stack that
 * nobody caught, a warning of Node) is held until a log line, the end, or 64,000 characters, since a key in it may run
 * over many lines and can be taken out only as a whole.
 */
export function relayOutput({ onLogLine, onText }: RelayTargets): OutputRelay {
  const decoder = new TextDecoder();
  let rest = "";
  let held = "";
  const release = () => {
    const text = redact(held).trim();
    held = "";
    if (text !== "") onText(text);
  };
  const take = (line: string) => {
    if (isLogLine(line)) {
      release();
      onLogLine(line);
      return;
    }
    held += `${line}\n`;
    if (held.length > MAX_CHARACTERS) release();
  };
  return {
    add: (chunk) => {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      // A line without end is cut rather than kept for ever.
      if (rest.length > MAX_CHARACTERS) lines.push(rest.slice(0, MAX_CHARACTERS));
      if (rest.length > MAX_CHARACTERS) rest = "";
      for (const line of lines) take(line);
    },
    flush: () => {
      if (rest !== "") take(rest);
      rest = "";
      release();
    },
  };
}

function isLogLine(line: string): boolean {
  if (!line.startsWith('{"level":')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

import { clsx } from "clsx";
import type { ReactNode } from "react";
import type { SeverityValue } from "@/lib/contracts/common";
import type { ClusterState } from "@/lib/contracts/fleet";

/** What a mark may say: a severity, or a cluster that does not answer, drawn as unknown and named. */
export type MarkKind = SeverityValue | ClusterState;

const COLOURS: Readonly<Record<SeverityValue, string>> = {
  error: "text-error",
  warning: "text-warning",
  info: "text-info",
  ok: "text-ok",
  unknown: "text-unknown",
};

export const severityOf = (kind: MarkKind): SeverityValue => (kind === "unreachable" ? "unknown" : kind);

/** The shape alone; it differs without colour. Hidden from screen readers: a word always stands beside it. */
export function SeverityShape({ kind, className }: { kind: MarkKind; className?: string | undefined }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={clsx("inline-block size-3.5 flex-none overflow-visible fill-none stroke-current", className)}
      strokeWidth="1.6"
    >
      {SHAPES[severityOf(kind)]}
    </svg>
  );
}

/**
 * Shape, word and colour of a severity. `isWordHidden` keeps the word for screen readers where the head names the
 * column; `isQuiet` greys an ok, so that trouble stands out; `count` stands beside it.
 */
export function SeverityMark(props: {
  kind: MarkKind;
  word?: ReactNode;
  isWordHidden?: boolean;
  isQuiet?: boolean;
  count?: ReactNode;
}) {
  const { kind, word = kind, isWordHidden = false, isQuiet = false, count } = props;
  const severity = severityOf(kind);
  const colour = isQuiet && severity === "ok" ? "text-fg-3" : COLOURS[severity];
  return (
    <span className={clsx("inline-flex items-center gap-[5px] whitespace-nowrap align-middle", colour)}>
      <SeverityShape kind={kind} />
      <span className={isWordHidden ? "sr-only" : undefined}>{word}</span>
      {count !== undefined && <span>{count}</span>}
    </span>
  );
}

const SHAPES: Readonly<Record<SeverityValue, ReactNode>> = {
  error: (
    <>
      <rect x="2" y="2" width="12" height="12" rx="1.5" fill="currentColor" />
      <path d="M5.2 5.2 10.8 10.8M10.8 5.2 5.2 10.8" stroke="var(--panel)" strokeWidth="1.9" />
    </>
  ),
  warning: (
    <>
      <path d="M8 2.1 14.5 13.5H1.5Z" strokeLinejoin="round" />
      <path d="M8 6.4V9.9M8 11.5V12" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.2V11.3M8 4.7V5.2" />
    </>
  ),
  ok: <path d="M3 8.5 6.3 11.7 13 4.6" />,
  unknown: (
    <>
      <circle cx="8" cy="8" r="6" strokeDasharray="2.6 2.1" />
      <path d="M6.3 6.4C6.4 4 9.7 4.2 9.6 6.4 9.6 7.7 8 7.8 8 9.2M8 11.1V11.5" />
    </>
  ),
};

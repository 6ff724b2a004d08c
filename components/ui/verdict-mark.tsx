import { clsx } from "clsx";
import type { ReactNode } from "react";
import type { VerdictName } from "@/lib/domain/storm/verdict";

const LOOKS: Readonly<Record<VerdictName, string>> = {
  invisible: "bg-invisible-tint text-invisible",
  visible: "bg-visible-tint text-visible",
  unsafe: "bg-unsafe-tint text-unsafe",
  inconclusive: "bg-inconclusive-tint text-inconclusive",
};

/** Shape, word and colour of a verdict on a rollout: ring, half ring, octagon with cross, dashed ring with question mark. */
export function VerdictMark({ verdict, title }: { verdict: VerdictName; title?: string | undefined }) {
  return (
    <span
      title={title}
      className={clsx(
        "inline-flex h-5 items-center gap-[5px] rounded-1 pr-[7px] pl-[5px] align-middle text-s font-medium whitespace-nowrap",
        LOOKS[verdict],
      )}
    >
      <svg
        viewBox="0 0 16 16"
        aria-hidden="true"
        strokeWidth="1.6"
        className="inline-block size-3.5 flex-none overflow-visible fill-none stroke-current"
      >
        {SHAPES[verdict]}
      </svg>
      {verdict}
    </span>
  );
}

const SHAPES: Readonly<Record<VerdictName, ReactNode>> = {
  invisible: <circle cx="8" cy="8" r="5.4" />,
  visible: (
    <>
      <circle cx="8" cy="8" r="5.4" />
      <path d="M8 2.6A5.4 5.4 0 0 0 8 13.4Z" fill="currentColor" />
    </>
  ),
  unsafe: (
    <>
      <path d="M5.4 1.8H10.6L14.2 5.4V10.6L10.6 14.2H5.4L1.8 10.6V5.4Z" fill="currentColor" />
      <path d="M5.6 5.6 10.4 10.4M10.4 5.6 5.6 10.4" stroke="var(--panel)" strokeWidth="1.9" />
    </>
  ),
  inconclusive: (
    <>
      <circle cx="8" cy="8" r="6" strokeDasharray="2.6 2.1" />
      <path d="M6.3 6.4C6.4 4 9.7 4.2 9.6 6.4 9.6 7.7 8 7.8 8 9.2M8 11.1V11.5" />
    </>
  ),
};

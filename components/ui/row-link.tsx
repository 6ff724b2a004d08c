import { clsx } from "clsx";
import Link from "next/link";
import type { ComponentProps } from "react";

/** A link inside a table row: reached from the row by the right arrow, so that the table stays one tab stop. */
export function RowLink({ className, ...props }: ComponentProps<typeof Link>) {
  return <Link prefetch={false} tabIndex={-1} className={clsx("inline-block", className)} {...props} />;
}

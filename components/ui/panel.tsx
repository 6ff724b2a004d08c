import { clsx } from "clsx";
import { type ReactNode, useId } from "react";

/** How usable the values of a panel are; its state, not the page's. */
export type PanelState = "normal" | "stale" | "partial";

/**
 * A titled region. `meta` stands at the right of the head (age, source, a control); `foot` explains what is shown or
 * what is missing. Stale dims the values; stale and partial draw a dashed rule under the head.
 */
export function Panel(props: {
  title: ReactNode;
  meta?: ReactNode;
  foot?: ReactNode;
  state?: PanelState;
  className?: string | undefined;
  children: ReactNode;
}) {
  const { title, meta, foot, state = "normal", className, children } = props;
  const headingId = useId();
  return (
    <section
      aria-labelledby={headingId}
      className={clsx(
        "flex min-w-0 flex-col rounded-2 border border-line bg-panel",
        state === "stale" && "stale-values",
        className,
      )}
    >
      <header
        className={clsx(
          "flex min-h-10 flex-wrap items-center gap-x-2.5 gap-y-1 px-3 pt-[9px] pb-2",
          state !== "normal" && "border-b border-dashed border-unknown",
        )}
      >
        <h2 id={headingId}>{title}</h2>
        <div role="status" className="ml-auto flex flex-wrap items-center gap-x-2.5 gap-y-1 text-s text-fg-3">
          {meta}
        </div>
      </header>
      {children}
      {foot !== undefined && foot !== null && (
        <div className="mt-auto border-t border-line px-3 py-[7px] text-s wrap-anywhere text-fg-3 empty:hidden">
          {foot}
        </div>
      )}
    </section>
  );
}

/** Padding for content that is not a table. */
export function PanelBody({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={clsx("px-3 pb-3", className)}>{children}</div>;
}

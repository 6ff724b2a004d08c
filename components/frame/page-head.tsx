import type { ReactNode } from "react";

/** Title of a page with one line of facts and its actions. `crumb` stands above it. */
export function PageHead(props: {
  title: ReactNode;
  crumb?: ReactNode;
  facts?: ReactNode;
  actions?: ReactNode;
}) {
  const { title, crumb, facts, actions } = props;
  return (
    <div className="flex min-h-8 flex-wrap items-baseline gap-x-4 gap-y-2">
      {crumb !== undefined && (
        <nav
          aria-label="Breadcrumb"
          className="-mb-1 flex min-w-0 basis-full flex-wrap gap-1.5 text-s wrap-anywhere text-fg-3"
        >
          {crumb}
        </nav>
      )}
      {/* Names of contexts run to hundreds of characters without a blank. */}
      <h1 className="min-w-0 wrap-anywhere">{title}</h1>
      <div className="flex min-w-[280px] flex-1 flex-wrap items-baseline gap-x-3.5 gap-y-1 text-fg-2 tabular-nums">
        {facts}
      </div>
      <div className="no-print ml-auto flex flex-wrap items-center gap-2 max-sm:ml-0 max-sm:basis-full">
        {actions}
      </div>
    </div>
  );
}

import { clsx } from "clsx";
import type { ReactNode } from "react";
import type { SeverityValue } from "@/lib/contracts/common";
import { SeverityShape } from "./severity";

const EDGES: Readonly<Record<SeverityValue, string>> = {
  error: "border-l-error bg-error-tint text-error",
  warning: "border-l-warning bg-warning-tint text-warning",
  info: "border-l-info bg-info-tint text-info",
  ok: "border-l-ok bg-ok-tint text-ok",
  unknown: "border-l-unknown bg-unknown-tint text-unknown",
};

/** The worst thing, what it means, and one or two actions; at most one above the panels. */
export function Notice(props: {
  severity: SeverityValue;
  lead: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  const { severity, lead, children, actions } = props;
  return (
    <div
      className={clsx(
        "grid grid-cols-[18px_minmax(0,1fr)] items-start gap-x-2 gap-y-2 rounded-1 border border-l-[3px] border-line-strong px-3 py-[9px] sm:grid-cols-[18px_minmax(0,1fr)_auto]",
        EDGES[severity],
      )}
    >
      <SeverityShape kind={severity} className="mt-[3px]" />
      <div className="text-fg leading-[1.4]">
        <span className="sr-only">{severity}: </span>
        <p>
          <b className="font-semibold">{lead}</b>
        </p>
        {children !== undefined && <div className="mt-0.5 text-fg-2">{children}</div>}
      </div>
      {actions !== undefined && (
        <div className="col-start-2 flex flex-wrap items-center gap-2 text-fg sm:col-start-3">{actions}</div>
      )}
    </div>
  );
}

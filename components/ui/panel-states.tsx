"use client";

import { clsx } from "clsx";
import { type ReactNode, useEffect, useState } from "react";
import { ProblemError } from "@/lib/queries/fetch-json";
import { Button } from "./button";
import { Panel, PanelBody } from "./panel";
import { SeverityShape } from "./severity";

/**
 * Asked and there is none: why, that it is not a fault, and what it means elsewhere. `unknown`: nothing was read, so
 * whether there is any is not known.
 */
export function EmptyState({
  lead,
  kind = "info",
  children,
  action,
}: {
  lead: ReactNode;
  kind?: "info" | "unknown";
  children?: ReactNode;
  action?: ReactNode;
}) {
  const colour = kind === "unknown" ? "text-unknown" : "text-fg-3";
  return (
    <Blank shape={<SeverityShape kind={kind} className={clsx("size-[18px]", colour)} />}>
      <p>
        <b>{lead}</b>
      </p>
      {children !== undefined && <div className="text-fg-2">{children}</div>}
      {action}
    </Blank>
  );
}

/** Nothing usable: what happened, what is not affected, a way to try again, code and request id. */
export function FailedState(props: {
  what: string;
  error: unknown;
  unaffected?: string;
  onRetry?: () => void;
}) {
  const { what, error, unaffected, onRetry } = props;
  const { message, code, requestId } = describeError(error);
  return (
    <Blank shape={<SeverityShape kind="error" className="size-[18px] text-error" />}>
      <p role="alert">
        <b>{what} could not be read.</b>
      </p>
      <p className="text-fg-2">
        {message} {unaffected}
      </p>
      <p className="font-mono text-xs text-fg-2">
        {code}
        {requestId !== null && ` · request ${requestId}`}
      </p>
      {onRetry !== undefined && (
        <Button isSmall onClick={onRetry}>
          Try again
        </Button>
      )}
    </Blank>
  );
}

/** Real heads with grey bars in place of values; after 400 ms a line of text. Nothing jumps when the values arrive. */
export function LoadingPanel(props: {
  title: string;
  heads?: readonly string[];
  rows?: number;
  className?: string;
}) {
  const { title, heads, rows = 4, className } = props;
  return (
    <Panel title={title} meta={<ReadingLine />} className={className}>
      {heads === undefined ? (
        <PanelBody className="grid gap-3 pt-1">
          {WIDTHS.slice(0, rows).map((width) => (
            <Bar key={width} width={width} />
          ))}
        </PanelBody>
      ) : (
        <div className="border-t border-line" aria-hidden="true">
          <table className="table">
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head}>{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {WIDTHS.slice(0, rows).map((width) => (
                <tr key={width}>
                  {heads.map((head, index) => (
                    <td key={head}>
                      <Bar width={index === 0 ? width : width / 2} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/** What an error may say on a page. Only Headroom's own errors speak for themselves. */
export function describeError(error: unknown): { message: string; code: string; requestId: string | null } {
  if (error instanceof ProblemError)
    return { message: error.message, code: error.code, requestId: error.requestId };
  return { message: "The page itself failed while reading it.", code: "page-error", requestId: null };
}

const WIDTHS = [92, 104, 60, 78, 96, 70, 84, 110] as const;
const TEXT_AFTER_MS = 400;

function ReadingLine() {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsShown(true), TEXT_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return isShown ? "Reading the store" : null;
}

const Bar = ({ width }: { width: number }) => (
  <i className="inline-block h-[9px] rounded-1 bg-line align-middle" style={{ width }} />
);

function Blank({ shape, children }: { shape: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-36 flex-1 flex-col items-center justify-center gap-1.5 border-t border-line px-6 pt-3.5 pb-4.5 text-center leading-[1.4] [&>*]:max-w-[52ch]">
      {shape}
      {children}
    </div>
  );
}

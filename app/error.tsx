"use client";

import { PageHead } from "@/components/frame/page-head";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";

/** A page that broke. The error's own message stays in the log; the digest finds it there. */
export default function ErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <>
      <PageHead title="This page failed" />
      <Panel title="This page could not be drawn">
        <EmptyState
          lead="Other pages are not affected"
          action={
            <Button isSmall onClick={reset}>
              Try again
            </Button>
          }
        >
          <p role="alert">What was collected is in the store and is not lost.</p>
          <p className="mt-1 font-mono text-xs">
            page-error{error.digest !== undefined && ` · request ${error.digest}`}
          </p>
        </EmptyState>
      </Panel>
    </>
  );
}

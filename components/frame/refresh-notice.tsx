"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { Age } from "@/components/time/instant";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { describeError } from "@/components/ui/panel-states";

/** Said where what is shown could not be asked for anew: the last answer stays, with its age and the reason. */
export function RefreshNotice({ query }: { query: UseQueryResult<unknown, Error> }) {
  if (query.data === undefined || !query.isError) return null;
  const { message, code, requestId } = describeError(query.error);
  return (
    <div role="status">
      <Notice
        severity="unknown"
        lead={
          <>
            This page shows the answer of <Age at={query.dataUpdatedAt} /> ago.
          </>
        }
        actions={
          <Button isSmall onClick={() => void query.refetch()}>
            Try again
          </Button>
        }
      >
        <p>
          It could not be asked for anew. {message}{" "}
          <span className="font-mono text-xs">
            {code}
            {requestId !== null && ` · request ${requestId}`}
          </span>
        </p>
      </Notice>
    </div>
  );
}

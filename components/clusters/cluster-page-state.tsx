"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import Link from "next/link";
import { PageHead } from "@/components/frame/page-head";
import { buttonClass } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { EmptyState, FailedState, LoadingPanel } from "@/components/ui/panel-states";
import { ProblemError } from "@/lib/queries/fetch-json";

/** A cluster page before its first answer: loading, a cluster that is gone, or a store that cannot be read. */
export function ClusterPageState({ query, panel }: { query: UseQueryResult<unknown, Error>; panel: string }) {
  const crumb = <Link href="/">Fleet</Link>;
  if (!query.isError) {
    return (
      <>
        <PageHead title="Cluster" crumb={crumb} />
        <LoadingPanel title={panel} rows={6} />
      </>
    );
  }
  const isGone = query.error instanceof ProblemError && query.error.code === "not-found";
  return (
    <>
      <PageHead title="Cluster" crumb={crumb} />
      <Panel title={panel}>
        {isGone ? (
          <EmptyState
            lead="There is no cluster by this address"
            action={
              <Link href="/" className={buttonClass({ isSmall: true })}>
                Open the fleet
              </Link>
            }
          >
            It was removed, or it belonged to another store. A renamed context keeps its address.
          </EmptyState>
        ) : (
          <FailedState
            what={`${panel} of this cluster`}
            error={query.error}
            unaffected="Other clusters are not affected."
            onRetry={() => void query.refetch()}
          />
        )}
      </Panel>
    </>
  );
}

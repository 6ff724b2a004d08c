import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { notFound } from "next/navigation";
import type { ReactNode } from "react";
import { AppError } from "@/lib/errors";
import { makeQueryClient } from "@/lib/queries/query-client";
import { getServiceContext, type ServiceContext } from "@/lib/services/context";

/** One thing to read before a page is sent: the key of its query, and the service that answers it. */
export interface Prefetch {
  readonly queryKey: readonly unknown[];
  readonly read: (context: ServiceContext) => Promise<unknown>;
}

/**
 * Sends a page with its data. What does not exist is not found; what cannot be read is left to the browser, which asks
 * again and shows that panel as failed, with code and request id: the rest of the page does not wait for it.
 */
export async function Prefetched({
  queries,
  children,
}: {
  queries: readonly Prefetch[];
  children: ReactNode;
}) {
  const client = makeQueryClient();
  const read = await Promise.allSettled(
    queries.map(async ({ queryKey, read }) => {
      const context = await getServiceContext();
      await client.fetchQuery({ queryKey, queryFn: () => read(context), retry: false });
    }),
  );
  if (read.some((outcome) => outcome.status === "rejected" && isNotFound(outcome.reason))) notFound();
  return <HydrationBoundary state={dehydrate(client)}>{children}</HydrationBoundary>;
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.code === "not-found";

"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EventItem } from "@/lib/contracts/common";
import type { HistoryResponse } from "@/lib/contracts/history";
import { olderEventsQuery } from "@/lib/queries/clusters";

/** Where the reader first asked for older events, and what stood above that place. */
interface Anchor {
  readonly cursor: string;
  readonly from: number;
  readonly events: readonly EventItem[];
}

/**
 * Events of a history answer with older ones below, a page per `showOlder`. An answer that is renewed meanwhile holds
 * newer events and drops as many at its end; those stay in the list, so that it has no hole.
 */
export function useOlderEvents({ header, events, nextCursor, fromAt }: HistoryResponse) {
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const older = useInfiniteQuery({
    ...olderEventsQuery(header.clusterId, anchor ?? { cursor: "", from: 0 }),
    enabled: anchor !== null,
  });
  const pages = older.data?.pages.flatMap((page) => page.events) ?? [];
  const all = new Map([...events, ...(anchor?.events ?? []), ...pages].map((event) => [event.id, event]));
  const showOlder = () => {
    if (anchor !== null) void (older.isLoadingError ? older.refetch() : older.fetchNextPage());
    else if (nextCursor !== null) setAnchor({ cursor: nextCursor, from: fromAt, events });
  };
  return {
    events: [...all.values()],
    hasOlder: anchor === null || older.data === undefined ? nextCursor !== null : older.hasNextPage,
    isReading: older.isFetching,
    error: older.isFetching ? null : older.error,
    showOlder,
  };
}

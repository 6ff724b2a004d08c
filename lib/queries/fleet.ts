import { mutationOptions, queryOptions } from "@tanstack/react-query";
import {
  type AcknowledgeRequest,
  AcknowledgeResponseSchema,
  ChangesResponseSchema,
  FleetResponseSchema,
  MAX_UNDONE_EVENTS,
} from "../contracts/fleet.ts";
import { PART_PERIOD_SECONDS } from "../domain/clusters/part.ts";
import { fetchJson } from "./fetch-json.ts";
import { refetchIntervalMs } from "./query-client.ts";

const REFETCH_MS = refetchIntervalMs(PART_PERIOD_SECONDS.fairness);

/** Every cluster with its state, worst first. */
export const fleetQuery = () =>
  queryOptions({
    queryKey: ["fleet"],
    queryFn: ({ signal }) => fetchJson({ path: "/api/fleet", schema: FleetResponseSchema, signal }),
    staleTime: 5_000,
    refetchInterval: REFETCH_MS,
  });

/** What changed since this reader's last review. */
export const changesQuery = () =>
  queryOptions({
    queryKey: ["fleet", "changes"],
    queryFn: ({ signal }) => fetchJson({ path: "/api/changes", schema: ChangesResponseSchema, signal }),
    staleTime: 5_000,
    refetchInterval: REFETCH_MS,
  });

/** Acknowledges events; the answer names those that this request acknowledged, for undoing it. */
export const acknowledgeMutation = () =>
  mutationOptions({
    mutationKey: ["fleet", "changes", "acknowledge"],
    mutationFn: (body: AcknowledgeRequest) =>
      fetchJson({
        path: "/api/changes/acknowledge",
        schema: AcknowledgeResponseSchema,
        method: "POST",
        body,
      }),
  });

/** Takes acknowledgements back, however many "all" were. */
export const undoAcknowledgeMutation = () =>
  mutationOptions({
    mutationKey: ["fleet", "changes", "undo"],
    mutationFn: async (eventIds: readonly string[]) => {
      const undone: string[] = [];
      for (let from = 0; from < eventIds.length; from += MAX_UNDONE_EVENTS) {
        const piece = await fetchJson({
          path: "/api/changes/undo",
          schema: AcknowledgeResponseSchema,
          method: "POST",
          body: { eventIds: eventIds.slice(from, from + MAX_UNDONE_EVENTS) },
        });
        undone.push(...piece.eventIds);
      }
      return { eventIds: undone };
    },
  });

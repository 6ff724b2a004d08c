import { mutationOptions, queryOptions } from "@tanstack/react-query";
import {
  type AcknowledgeRequest,
  AcknowledgeResponseSchema,
  ChangesResponseSchema,
  FleetResponseSchema,
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

/** Takes an acknowledgement back. */
export const undoAcknowledgeMutation = () =>
  mutationOptions({
    mutationKey: ["fleet", "changes", "undo"],
    mutationFn: (eventIds: readonly string[]) =>
      fetchJson({
        path: "/api/changes/undo",
        schema: AcknowledgeResponseSchema,
        method: "POST",
        body: { eventIds },
      }),
  });

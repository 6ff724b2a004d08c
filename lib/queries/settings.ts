import { mutationOptions, queryOptions } from "@tanstack/react-query";
import { z } from "zod";
import {
  type AddTargetRequest,
  AddTargetResponseSchema,
  type ConnectionTestRequest,
  ConnectionTestResponseSchema,
  SettingsClustersResponseSchema,
} from "../contracts/settings.ts";
import { fetchJson } from "./fetch-json.ts";

/** Clusters that are read and where each was named, with what Headroom may read in them. */
export const settingsClustersQuery = () =>
  queryOptions({
    queryKey: ["settings", "clusters"],
    queryFn: ({ signal }) =>
      fetchJson({ path: "/api/settings/clusters", schema: SettingsClustersResponseSchema, signal }),
    refetchInterval: 15_000,
  });

/** One connection test; asked for every second until it has an answer. */
export const connectionTestQuery = (id: string) =>
  queryOptions({
    queryKey: ["settings", "connection-tests", id],
    queryFn: ({ signal }) =>
      fetchJson({
        path: `/api/settings/connection-tests/${encodeURIComponent(id)}`,
        schema: ConnectionTestResponseSchema,
        signal,
      }),
    staleTime: 0,
    refetchInterval: (query) => {
      const state = query.state.data?.state;
      return state === undefined || state === "waiting" || state === "running" ? 1_000 : false;
    },
  });

export const startConnectionTestMutation = () =>
  mutationOptions({
    mutationKey: ["settings", "connection-tests", "start"],
    mutationFn: (body: ConnectionTestRequest) =>
      fetchJson({
        path: "/api/settings/connection-tests",
        schema: ConnectionTestResponseSchema,
        method: "POST",
        body,
      }),
  });

export const addTargetMutation = () =>
  mutationOptions({
    mutationKey: ["settings", "clusters", "add"],
    mutationFn: (body: AddTargetRequest) =>
      fetchJson({ path: "/api/settings/clusters", schema: AddTargetResponseSchema, method: "POST", body }),
  });

export const removeTargetMutation = () =>
  mutationOptions({
    mutationKey: ["settings", "clusters", "remove"],
    mutationFn: (targetId: string) =>
      fetchJson({
        path: `/api/settings/clusters/${encodeURIComponent(targetId)}`,
        schema: z.unknown(),
        method: "DELETE",
      }),
  });

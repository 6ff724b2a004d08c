import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { AgentResponseSchema, AgentsResponseSchema } from "../contracts/agent-pages.ts";
import { PART_PERIOD_SECONDS } from "../domain/clusters/part.ts";
import { fetchJson } from "./fetch-json.ts";
import { refetchIntervalMs } from "./query-client.ts";

/** Agents of the fleet, worst verdict first. */
export const agentsQuery = () =>
  queryOptions({
    queryKey: ["agents"],
    queryFn: ({ signal }) => fetchJson({ path: "/api/agents", schema: AgentsResponseSchema, signal }),
    refetchInterval: refetchIntervalMs(PART_PERIOD_SECONDS.inventory),
  });

/**
 * One agent, with what simulating it on a cluster takes. Asked for again only by the reader: figures that move by
 * themselves would move the storm under their hands.
 */
export const agentQuery = (agentId: string, clusterId: string | null) =>
  queryOptions({
    queryKey: ["agents", agentId, clusterId ?? ""],
    queryFn: ({ signal }) =>
      fetchJson({
        path: `${agentPath(agentId)}${clusterId === null ? "" : `?${new URLSearchParams({ cluster: clusterId })}`}`,
        schema: AgentResponseSchema,
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });

const agentPath = (agentId: string) => `/api/agents/${encodeURIComponent(agentId)}`;

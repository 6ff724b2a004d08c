import { queryOptions } from "@tanstack/react-query";
import { FrameSchema } from "../contracts/common.ts";
import { PaletteResponseSchema } from "../contracts/fleet.ts";
import { fetchJson } from "./fetch-json.ts";

/** Freshness of the fleet, the collector's state and notices of the store, for the bar above every page. */
export const frameQuery = () =>
  queryOptions({
    queryKey: ["frame"],
    queryFn: ({ signal }) => fetchJson({ path: "/api/frame", schema: FrameSchema, signal }),
    staleTime: 5_000,
    refetchInterval: 10_000,
  });

/** What the palette can find beside pages; asked for when it is opened. */
export const paletteQuery = () =>
  queryOptions({
    queryKey: ["palette"],
    queryFn: ({ signal }) => fetchJson({ path: "/api/palette", schema: PaletteResponseSchema, signal }),
    staleTime: 30_000,
  });

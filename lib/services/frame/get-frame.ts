import type { Frame } from "../../contracts/common.ts";
import { loadFleet } from "../clusters/load-fleet.ts";
import type { ServiceContext } from "../context.ts";

/** Freshness of the fleet and state of the collector, for the bar above every page. */
export async function getFrame(context: ServiceContext): Promise<Frame> {
  return (await loadFleet(context)).frame;
}

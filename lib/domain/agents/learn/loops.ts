import type { ObservedLoop } from "./learned-agents.ts";
import { HOT_REQUESTS_PER_SECOND, type RequestFlow } from "./request-flow.ts";

/** `null` where no copy sent more than ten in a second. */
export function loopOf(what: string, flow: RequestFlow): ObservedLoop | null {
  const { peakOfOneCopy, peakOfOneCopyAt, hotSeconds } = flow;
  if (peakOfOneCopy <= HOT_REQUESTS_PER_SECOND || peakOfOneCopyAt === null) return null;
  return { what, requestsPerSecond: peakOfOneCopy, at: peakOfOneCopyAt, seconds: hotSeconds };
}

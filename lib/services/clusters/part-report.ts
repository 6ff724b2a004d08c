import type { Server } from "../../contracts/cluster.ts";
import type { PartReport } from "../../contracts/common.ts";
import { isStale, type NotRead, PART_NAMES, type PartState } from "../../domain/clusters/part.ts";
import type { ApiServer } from "../../domain/clusters/servers-part.ts";

/** A part as pages show it. */
export function toPartReport(state: PartState<unknown>, now: number): PartReport {
  const { latest } = state;
  return {
    part: state.part,
    status: latest.status,
    attemptedAt: latest.startedAt,
    durationSeconds: latest.durationSeconds,
    requests: latest.requests,
    wireBytes: latest.wireBytes,
    seats: latest.seats === undefined ? null : { ...latest.seats },
    answer: latest.answer,
    failure: latest.failure && { ...latest.failure },
    notRead: latest.notRead.map(toNotRead),
    valueAt: state.valueAt,
    nextAttemptAt: state.nextAttemptAt,
    periodSeconds: state.periodSeconds,
    isStale: isStale(state, now),
  };
}

export function toNotRead(each: NotRead): PartReport["notRead"][number] {
  return { what: each.what, serverId: each.serverId, failure: { ...each.failure } };
}

/** Parts in the order in which a pass reads them. */
export function sortParts<P extends { readonly part: PartReport["part"] }>(
  parts: readonly P[],
): readonly P[] {
  return [...parts].sort((a, b) => PART_NAMES.indexOf(a.part) - PART_NAMES.indexOf(b.part));
}

export function toServer(server: ApiServer, gitVersion: string | null): Server {
  const { id, name, hostname, access, processStartAt, lastReadAt } = server;
  return { id, name, hostname, access, processStartAt, lastReadAt, gitVersion };
}

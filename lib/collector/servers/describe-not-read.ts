import type { NotRead } from "../../domain/clusters/part.ts";
import type { ServersPart } from "../../domain/clusters/servers-part.ts";
import { notMet } from "../pass/read-failure.ts";
import type { ReadServersResult } from "./read-servers.ts";

/** The servers whose page a pass does not have, and why: for every part whose figures come from the pages. */
export function describeServersNotRead(result: ReadServersResult, servers: ServersPart): readonly NotRead[] {
  const notRead: NotRead[] = servers.servers
    .filter(({ access }) => access === "not-read")
    .map(({ id, name, address }) => ({
      what: `/metrics of ${name}`,
      serverId: id,
      failure:
        (address === null ? undefined : result.failedAddresses.get(address)) ??
        result.sharedFailure ??
        notMet(
          `${name} was not among those that answered through the shared address in ${result.sharedTries} tries`,
        ),
    }));
  const { expectedServers } = servers;
  const unknown = (expectedServers ?? 1) - servers.servers.length;
  if (unknown > 0) {
    const failure =
      [...result.failedAddresses.values()].find((each) => result.read.length === 0 || each.status !== null) ??
      result.sharedFailure ??
      notMet(
        `met ${servers.servers.length} in ${result.sharedTries} tries through the shared address; servers that started in the same instant look alike there`,
      );
    notRead.push({
      what:
        expectedServers === null ? "/metrics" : `/metrics of ${unknown} of ${expectedServers} API servers`,
      serverId: null,
      failure: result.read.length === 0 ? (result.sharedFailure ?? failure) : failure,
    });
  }
  return notRead;
}

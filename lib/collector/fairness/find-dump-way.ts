import type { ApiServer, ServersPart } from "../../domain/clusters/servers-part.ts";
import type { ApiServerClient, ConnectionId } from "../../kube/index.ts";
import type { KeptConnection } from "../servers/read-servers.ts";
import { isSticky, type Stickiness } from "../servers/stickiness.ts";

/** How to ask one server for its debug dumps, which do not say whose they are; or why that cannot be done. */
export type DumpWay =
  | {
      readonly client: ApiServerClient;
      /** The only connection whose answer is certain to be of this server; `null` where every answer is. */
      readonly connectionId: ConnectionId | null;
    }
  | { readonly client: null; readonly because: string };

/** By its own address; by the shared one where no other server is behind it, or where connections keep to a server. */
export function findDumpWay(input: {
  readonly server: Pick<ApiServer, "access" | "address" | "name">;
  readonly servers: ServersPart;
  /** By which its page was read in this pass. */
  readonly connection: KeptConnection | null;
  readonly stickiness: Stickiness;
  readonly client: ApiServerClient;
  readonly onConnection: (slot: number) => ApiServerClient;
}): DumpWay {
  const { server, servers, connection, stickiness, client } = input;
  if (server.access === "direct" && server.address !== null) {
    return { client: client.withAddress(server.address), connectionId: null };
  }
  const count = Math.max(servers.expectedServers ?? 1, servers.servers.length);
  if (count <= 1) return { client, connectionId: null };
  const shared = `${server.name} is one of ${count} API servers behind one address`;
  if (servers.servers.length < count) {
    return { client: null, because: `${shared}, and only ${servers.servers.length} could be told apart` };
  }
  if (stickiness.hasSpread) {
    return {
      client: null,
      because: `${shared}, which gives requests of one connection to different servers: whose dump it would be cannot be told`,
    };
  }
  if (connection === null) {
    return { client: null, because: `${shared}, and by which connection it is reached cannot be told` };
  }
  if (!isSticky(stickiness, count)) {
    return {
      client: null,
      because: `${shared}: that a connection keeps to one of them has not been seen often enough yet`,
    };
  }
  return { client: input.onConnection(connection.slot), connectionId: connection.id };
}

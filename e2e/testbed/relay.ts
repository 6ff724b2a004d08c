import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP relay on loopback: one address in front of several servers, as a load balancer in TCP mode. */
export interface Relay {
  readonly port: number;
  /** Connections opened to each server so far, in the order of the servers. */
  connectionCounts(): readonly number[];
  /** Ends all open connections, as a load balancer does when it fails over. */
  closeConnections(): void;
  close(): Promise<void>;
}

/**
 * Each new connection goes to the next server in turn; one that refuses is passed over, until all have
 * refused. Bytes are neither read nor changed, so TLS ends at the servers.
 */
export async function startRelay(serverPorts: readonly number[]): Promise<Relay> {
  const counts = serverPorts.map(() => 0);
  const open = new Set<Socket>();
  let next = 0;

  const relay = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (client) => {
    track(client);
    tryServer(client, next++, serverPorts.length);
  });

  function track(socket: Socket): void {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  }

  function tryServer(client: Socket, turn: number, triesLeft: number): void {
    const index = turn % serverPorts.length;
    const port = serverPorts[index];
    if (port === undefined || triesLeft === 0) return void client.destroy();
    const server = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const refused = () => tryServer(client, turn + 1, triesLeft - 1);
    server.once("error", refused);
    server.once("connect", () => {
      server.off("error", refused);
      track(server);
      counts[index] = (counts[index] ?? 0) + 1;
      join(client, server);
      join(server, client);
      client.resume();
    });
  }

  await new Promise<void>((resolve, reject) => {
    relay.once("error", reject);
    relay.listen(0, "127.0.0.1", resolve);
  });
  const closeConnections = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (relay.address() as AddressInfo).port, // a TCP server that listens has an address with a port
    connectionCounts: () => [...counts],
    closeConnections,
    close: async () => {
      const closed = new Promise<void>((resolve) => relay.close(() => resolve()));
      closeConnections();
      await closed;
    },
  };
}

/** One direction. A reset on either side is passed on as the end of the other; there is no third party to tell. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once("error", () => to.destroy());
  from.once("close", () => to.destroySoon());
}

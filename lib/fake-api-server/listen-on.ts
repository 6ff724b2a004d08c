import { randomInt } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

const HOST = "127.0.0.1";
/** Below the ports that the system gives out by itself (32768 and up on Linux). */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 19_999;
const MAX_TRIES = 200;

/** Ports that servers of this process have or had. */
const taken = new Set<number>();

/**
 * Listens on a free port that nobody gets by asking for any: while a server refuses connections its port is open to all,
 * and another server there would answer in its place.
 *
 * @throws Error where no free port is found.
 */
export async function listenOnFreePort(server: Server): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (taken.has(port)) continue;
    try {
      await listenOn(server, port);
      taken.add(port);
      return port;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    }
  }
  throw new Error(`no free port on ${HOST} between ${LOWEST_PORT} and ${HIGHEST_PORT}`);
}

export function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => {
      server.off("error", reject);
      // A TCP server has an address with a port.
      const address = server.address() as AddressInfo;
      resolve(address.port);
    });
  });
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

/**
 * Free ports on 127.0.0.1, all different. Taken from below the range that Linux gives to outgoing connections
 * (32768 and up), so that between this look and the server's own bind nothing but another bed could take one.
 *
 * @throws Error when no free port is found within a bounded number of tries.
 */
export async function freeLoopbackPorts(count: number): Promise<readonly number[]> {
  const held: { readonly port: number; readonly server: Server }[] = [];
  try {
    for (let tries = 0; held.length < count; tries++) {
      if (tries > 50 + count) throw new Error("no free port on 127.0.0.1 between 20000 and 32000");
      const server = await tryListen(randomInt(20_000, 32_000));
      if (server) held.push(server);
    }
    return held.map(({ port }) => port);
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  }
}

function tryListen(port: number): Promise<{ readonly port: number; readonly server: Server } | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve({ port, server }));
  });
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd, endChild } from "./clean-up.ts";
import { productEnvironment } from "./environment.ts";
import { ROOT } from "./paths.ts";

const START_MS = 60_000;

/** The built web server over a store, without a collector; ended with the bench. */
export async function startWebServer(
  folder: string,
  storeUrl: string,
): Promise<{ readonly url: string; readonly pid: number }> {
  const port = await freePort();
  const logPath = join(folder, "web.log");
  const child = spawn(process.execPath, [join(ROOT, ".next", "standalone", "server.js")], {
    cwd: folder,
    env: productEnvironment({
      COLLECTOR: "external",
      HEADROOM_CWD: folder,
      HEADROOM_STORE_URL: storeUrl,
      HOSTNAME: "127.0.0.1",
      PORT: String(port),
    }),
    stdio: ["ignore", "ignore", openSync(logPath, "a")],
  });
  atEnd(() => endChild(child));
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const response = await fetch(`${url}/livez`).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok === true) return { url, pid: child.pid ?? 0 };
    await sleep(50);
  }
  throw new Error(`the web server did not answer: ${readFileSync(logPath, "utf8").slice(-2000)}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

import { onTestFinished } from "vitest";
import { type FakeApiServer, type FakeApiServerOptions, startFakeApiServer } from "./fake-api-server.ts";
import { buildScenario } from "./scenarios.ts";

export const NOW = Date.UTC(2026, 10, 30, 9, 42, 10);

/** A server that the running test closes, on a clock that the test moves. */
export async function startForTest(
  options: Partial<FakeApiServerOptions> = {},
): Promise<FakeApiServer & { readonly clock: { at: number } }> {
  const clock = { at: NOW };
  const server = await startFakeApiServer({
    scenario: buildScenario({ nodes: 20, pods: 200 }),
    clock: { now: () => clock.at },
    ...options,
  });
  onTestFinished(() => server.close());
  return { ...server, clock };
}

export function ask(
  server: FakeApiServer,
  path: string,
  headers: Record<string, string> = {},
  base: string = server.url,
): Promise<Response> {
  return fetch(base + path, {
    headers: { authorization: `Bearer ${server.token}`, ...headers },
    redirect: "manual",
  });
}

/** Value of the series whose name and labels are written exactly so; `null` where the page has none. */
export function seriesValue(page: string, series: string): number | null {
  const line = page.split("\n").find((text) => text.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

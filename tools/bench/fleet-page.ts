/** The fleet page with 1,000 clusters in the store: the server's answers, and the page in Chromium. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureTable } from "./support/browser.ts";
import { runBench, temporaryFolder } from "./support/clean-up.ts";
import { median } from "./support/figure.ts";
import { residentBytes } from "./support/process-figures.ts";
import { progress, report } from "./support/report.ts";
import { scrapeTemplate, seedStore } from "./support/seed-store.ts";
import { timeRequests } from "./support/time-requests.ts";
import { startWebServer } from "./support/web-server.ts";

const { values } = parseArgs({ options: { clusters: { type: "string", default: "1000" } } });
const clusters = Number(values.clusters);
const REQUESTS = 60;
const PAGE_LOADS = 7;

await runBench(async () => {
  const folder = temporaryFolder();
  const url = `file:${join(folder, "headroom.db")}`;
  const template = await scrapeTemplate(200, folder);
  await seedStore({ url, template, clusters, onProgress: (done) => progress(`${done} clusters stored`) });
  const web = await startWebServer(folder, url);
  const api = await timeRequests(`${web.url}/api/fleet`, web.pid, REQUESTS);
  const html = await timeRequests(`${web.url}/`, web.pid, REQUESTS);
  const pages = await measureTable(`${web.url}/`, PAGE_LOADS);
  report(
    [
      { what: `GET /api/fleet, ${clusters} clusters, p95`, value: api.p95Ms, unit: "milliseconds", aim: 300 },
      { what: "GET / (HTML), p95", value: html.p95Ms, unit: "milliseconds", aim: 300 },
      {
        what: "first paint of the table in Chromium (median)",
        value: median(pages.map((page) => page.tablePaintMs)),
        unit: "milliseconds",
        aim: 1000,
      },
      {
        what: "page usable: scripts have taken over (median)",
        value: median(pages.map((page) => page.interactiveMs)),
        unit: "milliseconds",
        aim: null,
      },
      {
        what: "scroll to the last row until it is there (median)",
        value: median(pages.map((page) => page.scrollMs)),
        unit: "milliseconds",
        aim: null,
      },
      {
        what: "rows in the document, most",
        value: Math.max(...pages.map((page) => page.rowsMost)),
        unit: "count",
        aim: null,
      },
      { what: "GET /api/fleet, median", value: api.p50Ms, unit: "milliseconds", aim: null },
      {
        what: "GET /api/fleet, the first of the process",
        value: api.firstMs,
        unit: "milliseconds",
        aim: null,
      },
      { what: "GET / (HTML), median", value: html.p50Ms, unit: "milliseconds", aim: null },
      { what: "server's CPU for one GET /api/fleet", value: api.cpuMs, unit: "milliseconds", aim: null },
      { what: "server's CPU for one GET /", value: html.cpuMs, unit: "milliseconds", aim: null },
      { what: "the web server's memory", value: residentBytes(web.pid).now, unit: "bytes", aim: null },
    ],
    [
      `${(api.bodyBytes / 1e3).toFixed(0)} kB from the API, ${(html.bodyBytes / 1e3).toFixed(0)} kB of HTML, before gzip`,
    ],
  );
});

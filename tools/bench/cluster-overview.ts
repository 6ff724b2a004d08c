/** The overview of a cluster with 5,000 nodes, as HTML and from the API. */
import { join } from "node:path";
import { runBench, temporaryFolder } from "./support/clean-up.ts";
import { report } from "./support/report.ts";
import { scrapeTemplate, seedStore } from "./support/seed-store.ts";
import { timeRequests } from "./support/time-requests.ts";
import { startWebServer } from "./support/web-server.ts";

const NODES = 5000;
const REQUESTS = 60;

await runBench(async () => {
  const folder = temporaryFolder();
  const url = `file:${join(folder, "headroom.db")}`;
  const [clusterId] = await seedStore({ url, template: await scrapeTemplate(NODES, folder), clusters: 1 });
  const web = await startWebServer(folder, url);
  const html = await timeRequests(`${web.url}/clusters/${clusterId}`, web.pid, REQUESTS);
  const api = await timeRequests(`${web.url}/api/clusters/${clusterId}/overview`, web.pid, REQUESTS);
  report(
    [
      { what: `overview at ${NODES} nodes, HTML, p95`, value: html.p95Ms, unit: "milliseconds", aim: 500 },
      { what: `overview at ${NODES} nodes, API, p95`, value: api.p95Ms, unit: "milliseconds", aim: 500 },
      { what: "HTML, the first of the process", value: html.firstMs, unit: "milliseconds", aim: null },
      { what: "HTML, median", value: html.p50Ms, unit: "milliseconds", aim: null },
      { what: "API, median", value: api.p50Ms, unit: "milliseconds", aim: null },
      { what: "server's CPU for one page", value: html.cpuMs, unit: "milliseconds", aim: null },
    ],
    [`${(html.bodyBytes / 1e3).toFixed(0)} kB of HTML, ${(api.bodyBytes / 1e3).toFixed(0)} kB from the API`],
  );
});

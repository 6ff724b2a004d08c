import { describe, expect, test } from "vitest";
import { overviewMarkdown } from "./clusters/overview-markdown";
import { fairnessMarkdown } from "./fairness/fairness-markdown";
import { chooseShown } from "./fairness/prepare-levels";
import { fairnessFixture, headerFixture, overviewFixture } from "./fixtures/cluster-fixture";
import { changesFixture, FIXTURE_NOW, fleetFixture, fleetRow, frameFixture } from "./fixtures/fleet-fixture";
import { fleetMarkdown } from "./fleet/fleet-markdown";
import { historyMarkdown } from "./history/history-markdown";
import { settingsMarkdown } from "./settings/settings-markdown";

const url = "http://127.0.0.1:3000/x";
const plain = (text: string) => text.replace(/[\u202f\u00a0]/g, " ");

describe("the fleet as Markdown", () => {
  const response = fleetFixture();
  test("has time in UTC, link, that it is a demo, changes, and the rows as they are shown", () => {
    const text = plain(
      fleetMarkdown({ response, rows: response.rows.slice(0, 2), changes: changesFixture(), url }),
    );
    expect(text.split("\n")[0]).toBe("## Fleet, 2026-11-30 09:42 UTC (demo fleet)");
    expect(text).toContain(`[${url}](${url})`);
    expect(text).toContain(
      "4 clusters, 2 684 nodes: 1 error, 1 unreachable, 1 warning, 1 ok. All figures measured.",
    );
    expect(text).toContain("| 2026-11-30 09:22 UTC | error | ml-us-east | Rejections began.");
    expect(text).toContain("### Clusters, 2 of 4");
    expect(text).toContain("| unreachable | edge-ap-south |");
    expect(text).toContain("| 3 h 30 min (stale) |");
    expect(text).not.toContain("prod-us-east");
  });

  test("stops at 20 rows", () => {
    const rows = Array.from({ length: 57 }, (_, index) =>
      fleetRow({ clusterId: `c${index}`, name: `c${index}` }),
    );
    const text = fleetMarkdown({ response: fleetFixture({ rows }), rows, changes: undefined, url });
    expect(text).toContain("and 37 more");
  });
});

describe("a cluster as Markdown", () => {
  test("the overview names what was refused and what is not known", () => {
    const text = plain(overviewMarkdown({ response: overviewFixture(), url }));
    expect(text).toContain("## ml-us-east, overview, 2026-11-30 09:42 UTC (demo fleet)");
    expect(text).toContain("Kubernetes 1.34.3 · 640 nodes · 19 200 pods · 3 API servers · data 4 s old");
    expect(text).toContain("not read /metrics of api-2: forbidden (HTTP 403, GET /metrics at 10.0.0.3:6443)");
    expect(text).toContain(
      "| widgets.example.io | not known, the server assumes 0 | not published | api-1 |",
    );
  });

  test("own cost is in the facts, its seats as an estimate or as not known", () => {
    const text = (over: Parameters<typeof headerFixture>[0]) =>
      plain(overviewMarkdown({ response: overviewFixture({ header: headerFixture(over) }), url }));
    expect(text({})).toContain(
      "Headroom’s own cost 74.0 requests/min, 16.9 MB/min, widest request ≈ 10 seats. All figures measured, those with ≈ estimated.",
    );
    expect(text({ ownSeats: null })).toContain("16.9 MB/min, seats not known.");
    expect(text({ ownCost: null })).not.toContain("own cost");
  });

  test("an outage is in the facts", () => {
    const header = headerFixture({ unreachableSince: FIXTURE_NOW - 3_600_000, nodes: null });
    const text = overviewMarkdown({ response: overviewFixture({ header }), url });
    expect(text).toContain("nodes not known");
    expect(text).toContain("unreachable since 2026-11-30 08:42 UTC");
  });

  test("fairness writes the chosen server alone, and every server beside the chosen level", () => {
    const response = fairnessFixture();
    const shown = chooseShown(response, { server: "api-0", level: "" });
    const text = plain(fairnessMarkdown({ response, shown, url }));
    expect(text).toContain("### Priority levels of api-0");
    expect(text).toContain("| workload-low | 245 | 24 | 845 | 368 | 361 | 182 | 0 | 8 085 | – | ≥ 15 s |");
    expect(text).toContain("| exempt | – | 0 | 600 | no limit | 2 | 0 | – | – | – | – |");
    expect(text).toContain("| api-2 | 361 / 368 | 182 |");
    expect(text).toContain("Max is a setting, not capacity.");
  });

  test("history says which part is generated", () => {
    const text = historyMarkdown({
      url,
      response: {
        frame: frameFixture(),
        header: headerFixture(),
        fromAt: FIXTURE_NOW - 86_400_000,
        toAt: FIXTURE_NOW,
        range: "24h",
        serverId: "server-1",
        priorityLevelName: "workload-low",
        servers: [{ id: "server-1", name: "api-1" }],
        priorityLevelNames: ["workload-low"],
        charts: [
          {
            id: "nodes",
            title: "Nodes",
            seriesTotal: 1,
            series: [
              {
                metric: "nodes",
                serverId: null,
                serverName: null,
                priorityLevelName: null,
                rejectReason: null,
                unit: "count",
                resolution: "hourly",
                stepSeconds: 3600,
                isGenerated: true,
                points: [[FIXTURE_NOW / 1000 - 3600, 600, 640, 640]],
              },
            ],
          },
        ],
        events: [],
        nextCursor: null,
      },
    });
    expect(text).toContain("Part of it is generated history of the demo fleet.");
    expect(text).toContain("- Nodes. nodes: from 640 to 640 at Mon 30 Nov, 08:42, latest 640.");
    expect(text).toContain("Nothing changed in this range.");
  });
});

test("settings leave out where kubeconfigs lie and name what is refused", () => {
  const text = settingsMarkdown({
    url,
    response: {
      frame: frameFixture({ isDemo: false }),
      targets: [
        {
          targetId: "t",
          clusterId: "c",
          clusterName: "prod",
          clusterUid: null,
          source: "page",
          kubeconfigPath: "/etc/headroom/kubeconfig",
          context: "prod",
          addedAt: FIXTURE_NOW,
          state: "ok",
          isInsecure: false,
          overriddenBy: "the configuration file",
          canRemove: true,
          permissions: [
            { id: "a", permission: "get /metrics", state: "refused", at: FIXTURE_NOW, withoutIt: "no seats" },
            { id: "b", permission: "list nodes", state: "granted", at: FIXTURE_NOW, withoutIt: "no nodes" },
          ],
        },
      ],
      configurationFile: "/etc/headroom/headroom.yaml",
      clusterRoleYaml: "",
      budget: { requestsPerMinute: 120, bytesPerMinute: 1 },
      retention: { fine: 1, fiveMinutes: 1, hourly: 1, scrapes: 1 },
    },
  });
  expect(text).toContain("1 of 2 granted, 1 refused");
  expect(text).toContain("| prod | get /metrics | no seats |");
  expect(text).toContain("not used: the configuration file wins");
  expect(text).not.toContain("/etc/headroom");
});

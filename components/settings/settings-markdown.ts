import type { SettingsClustersResponse } from "@/lib/contracts/settings";
import { formatMarkdownInstant } from "@/lib/format/instant";
import { joinBlocks, toMarkdownTable } from "@/lib/format/markdown";
import { countPermissions } from "./permission-list";

/** The clusters page as Markdown. Paths of kubeconfigs are left out: they say where credentials lie. */
export function settingsMarkdown(options: {
  readonly response: SettingsClustersResponse;
  readonly url: string;
}): string {
  const { response, url } = options;
  const refused = response.targets.flatMap(({ clusterName, permissions }) =>
    permissions
      .filter(({ state }) => state === "refused")
      .map(({ permission, withoutIt }) => [clusterName, permission, withoutIt]),
  );
  return joinBlocks([
    `## Clusters of Headroom, ${formatMarkdownInstant(response.frame.now)}${response.frame.isDemo ? " (demo fleet)" : ""}`,
    `[${url}](${url})`,
    toMarkdownTable(
      ["Cluster", "Named by", "Context", "Permissions", "Note"],
      response.targets.map((target) => [
        target.clusterName,
        target.source,
        target.context ?? "–",
        countPermissions(target.permissions),
        target.overriddenBy === null ? "" : `not used: ${target.overriddenBy} wins`,
      ]),
    ),
    refused.length === 0 ? null : "### Refused",
    toMarkdownTable(["Cluster", "Permission", "Without it"], refused),
  ]);
}

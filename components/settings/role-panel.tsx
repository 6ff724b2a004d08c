import { CodeBlock } from "@/components/ui/code-block";
import { Panel, PanelBody } from "@/components/ui/panel";
import type { SettingsClustersResponse } from "@/lib/contracts/settings";
import { formatBytes } from "@/lib/format/bytes";
import { formatDuration } from "@/lib/format/duration";
import { formatCount } from "@/lib/format/number";

/** The least that Headroom needs, to copy. */
export function RolePanel({ yaml, className }: { yaml: string; className?: string }) {
  return (
    <Panel
      title="Minimal ClusterRole"
      meta="get and list only; no Secrets, no writes"
      className={className}
      foot="Each rule can be left out: the permissions above say what is then missing on the pages."
    >
      <PanelBody>
        <CodeBlock label="ClusterRole" code={yaml} hasCopy maxHeightClass="max-h-[420px] overflow-y-auto" />
      </PanelBody>
    </Panel>
  );
}

/** What one cluster may cost, and how long what was read is kept. Both are set in the configuration. */
export function LimitsPanel({
  response,
  className,
}: {
  response: SettingsClustersResponse;
  className?: string;
}) {
  const { budget, retention } = response;
  return (
    <Panel title="Budget and retention" meta="from the configuration" className={className}>
      <PanelBody>
        <dl className="pairs">
          <dt>requests per cluster and minute</dt>
          <dd>{formatCount(budget.requestsPerMinute)}</dd>
          <dt>bytes on the wire per cluster and minute</dt>
          <dd>{formatBytes(budget.bytesPerMinute)}</dd>
          <dt>series as scraped</dt>
          <dd>{formatDuration(retention.fine)}</dd>
          <dt>series by 5 min</dt>
          <dd>{formatDuration(retention.fiveMinutes)}</dd>
          <dt>series by the hour</dt>
          <dd>{formatDuration(retention.hourly)}</dd>
          <dt>outcomes of passes</dt>
          <dd>{formatDuration(retention.scrapes)}</dd>
        </dl>
      </PanelBody>
    </Panel>
  );
}

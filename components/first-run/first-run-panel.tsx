import Link from "next/link";
import type { ReactNode } from "react";
import { buttonClass } from "@/components/ui/button";
import { CodeBlock } from "@/components/ui/code-block";
import { Notice } from "@/components/ui/notice";
import { Panel, PanelBody } from "@/components/ui/panel";
import type { Frame } from "@/lib/contracts/common";
import type { FleetResponse } from "@/lib/contracts/fleet";
import type { SettingsClustersResponse } from "@/lib/contracts/settings";
import { formatBytes } from "@/lib/format/bytes";
import { formatCount, formatFixed, formatPlural } from "@/lib/format/number";

const BY_FLAG = `npm start -- \\
  --kubeconfig ~/.kube/config --context prod-eu-west`;
const BY_FILE = `# headroom.yaml
clusters:
  kubeconfigs:
    - { path: ./kubeconfig, contexts: ["*"] }
  inCluster: false`;
const CHECK = `npm run -s headroom -- \\
  collect --once --context prod-eu-west`;

/** Three ways to add a cluster, what Headroom reads there and what that costs. `ownCost` is the demo fleet's, measured. */
export function FirstRunPanel(props: {
  frame: Frame;
  ownCost: FleetResponse["totals"]["ownCost"] | null;
  budget?: SettingsClustersResponse["budget"];
}) {
  const { frame, ownCost, budget } = props;
  const isEmpty = frame.clusters === 0;
  const title = isEmpty
    ? "Headroom reads no cluster yet"
    : `Headroom reads ${formatPlural(frame.clusters, "cluster")}`;
  return (
    <Panel
      title={frame.isDemo ? "This is the demo fleet" : title}
      meta={isEmpty || frame.isDemo ? "first run" : null}
    >
      <PanelBody>
        {frame.isDemo ? (
          <Notice
            severity="info"
            lead={`You are looking at ${formatPlural(frame.clusters, "generated cluster")}.`}
            actions={
              <>
                <Link href="/" className={buttonClass({ look: "primary" })}>
                  Look around
                </Link>
                <Link href="/settings/clusters#add" className={buttonClass()}>
                  Add a cluster
                </Link>
              </>
            }
          >
            <p>
              They are served by a small API server on loopback and read by the same collector as yours would
              be. Nothing leaves this machine. A start with a cluster of your own serves that one in their
              place.
            </p>
          </Notice>
        ) : (
          <Notice
            severity="info"
            lead={
              isEmpty
                ? "No cluster is configured, and the demo fleet is off."
                : "Another one is added beside them."
            }
            actions={
              <Link href="/settings/clusters#add" className={buttonClass({ look: "primary" })}>
                Add a cluster
              </Link>
            }
          >
            <p>A kubeconfig is never read unless it is named in one of these three ways.</p>
          </Notice>
        )}
        <ol className="grid gap-x-6 gap-y-4 py-4 lg:grid-cols-3">
          <Way title="1. Name a kubeconfig at the start" code={BY_FLAG}>
            Each context becomes a cluster; without <code className="font-mono">--context</code> all of them
            do. Only get and list are used.
          </Way>
          <Way title="2. Or name it in the configuration file" code={BY_FILE}>
            Inside a cluster <code className="font-mono">inCluster: true</code> reads that one with its
            service account.
          </Way>
          <Way
            title="3. Or add it on the settings page"
            code={CHECK}
            codeTitle="See what may be read, without the pages:"
          >
            The <Link href="/settings/clusters#add">path of a kubeconfig on this server</Link> and a context.
            The connection can be tested first; its content is never uploaded.
          </Way>
        </ol>
        <dl className="grid grid-cols-2 gap-x-6 gap-y-3 border-t border-line pt-3 lg:grid-cols-4">
          {ownCost !== null && frame.clusters > 0 && (
            <Fact
              title="Cost, measured on this fleet"
              value={formatFixed(ownCost.requestsPerMinute / frame.clusters, 1)}
              unit="requests/min per cluster"
              note={`${formatBytes(ownCost.wireBytesPerMinute / frame.clusters)} per minute on the wire`}
            />
          )}
          {budget !== undefined && (
            <Fact
              title="Budget per cluster"
              value={formatCount(budget.requestsPerMinute)}
              unit="requests/min"
              note={`and ${formatBytes(budget.bytesPerMinute)} per minute; then parts are skipped, and say so`}
            />
          )}
          <Fact
            title="At a time"
            value="1"
            unit="request"
            note="per API server; of the pods of a cluster only one page of at most 50"
          />
          <Fact title="Reads no" value="Secret" unit="" note="and writes nothing to a cluster" />
        </dl>
      </PanelBody>
    </Panel>
  );
}

function Way(props: { title: string; code: string; codeTitle?: string; children: ReactNode }) {
  const { title, code, codeTitle, children } = props;
  return (
    <li className="grid content-start gap-1.5">
      <h3>{title}</h3>
      <p className="text-fg-2">{children}</p>
      {codeTitle !== undefined && <p className="text-s text-fg-3">{codeTitle}</p>}
      <CodeBlock label={title} code={code} />
    </li>
  );
}

function Fact({ title, value, unit, note }: { title: string; value: string; unit: string; note: string }) {
  return (
    <div className="grid content-start gap-px">
      <dt className="text-s text-fg-3">{title}</dt>
      <dd className="text-xl leading-tight font-medium">
        {value} <span className="text-m font-normal text-fg-3">{unit}</span>
      </dd>
      <dd className="text-s text-fg-2">{note}</dd>
    </div>
  );
}

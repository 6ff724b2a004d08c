"use client";

import Link from "next/link";
import { CopyMarkdown } from "@/components/frame/copy-markdown";
import { PageHead } from "@/components/frame/page-head";
import { CodeBlock } from "@/components/ui/code-block";
import { Panel, PanelBody } from "@/components/ui/panel";
import { SeverityMark } from "@/components/ui/severity";
import { type RuleRow, ruleHref } from "./rule-row";
import { ruleMarkdown } from "./rules-markdown";

/** What a finding of this rule means, why it matters, and how to fix it. */
export function RulePage({ rule, neighbours }: { rule: RuleRow; neighbours: readonly RuleRow[] }) {
  const { name, severity, title, what, why, fix, sources, versions, decidedBy, area } = rule;
  return (
    <>
      <PageHead
        crumb={
          <>
            <Link href="/rules">Rules</Link>
            <span aria-hidden="true">/</span>
            <Link href={`/rules?q=${encodeURIComponent(`${area}.`)}`}>{area}</Link>
          </>
        }
        title={<span className="font-mono">{name}</span>}
        facts={
          <>
            <SeverityMark kind={severity} />
            <span>{title}</span>
          </>
        }
        actions={<CopyMarkdown makeText={() => ruleMarkdown(rule, window.location.href)} />}
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_400px]">
        <Panel title="What, why, fix">
          <PanelBody className="grid max-w-[82ch] gap-3.5 leading-[1.5]">
            <Paragraph head="What" text={what} />
            <Paragraph head="Why" text={why} />
            <Paragraph head="Fix" text={fix} />
          </PanelBody>
        </Panel>
        <div className="grid gap-4">
          <Panel title="Where it holds">
            <PanelBody className="grid gap-3">
              <dl className="pairs">
                <dt>Kubernetes versions</dt>
                <dd>{versions}</dd>
                <dt>decided</dt>
                <dd>
                  {decidedBy === "scan" ? "from files or a cluster now" : "over time, by the collector"}
                </dd>
              </dl>
              {decidedBy === "scan" && (
                <CodeBlock
                  label="Check files by this rule"
                  code={`headroom scan PATH --rules ${name}`}
                  hasCopy
                />
              )}
            </PanelBody>
          </Panel>
          <Panel title="Sources">
            <PanelBody>
              <ul className="grid gap-1.5">
                {sources.map(({ text, url }) => (
                  <li key={text} className="wrap-anywhere">
                    {url === null ? text : <a href={url}>{text}</a>}
                  </li>
                ))}
              </ul>
            </PanelBody>
          </Panel>
          {neighbours.length > 0 && (
            <Panel title={`Other rules of ${area}`}>
              <PanelBody>
                <ul className="grid gap-1.5">
                  {neighbours.map((each) => (
                    <li key={each.name}>
                      <Link href={ruleHref(each.name)} className="font-mono text-s">
                        {each.name}
                      </Link>
                      <span className="block text-s text-fg-3">{each.title}</span>
                    </li>
                  ))}
                </ul>
              </PanelBody>
            </Panel>
          )}
        </div>
      </div>
    </>
  );
}

function Paragraph({ head, text }: { head: string; text: string }) {
  return (
    <section>
      <h3 className="text-s font-semibold text-fg-2">{head}</h3>
      <p>{text}</p>
    </section>
  );
}

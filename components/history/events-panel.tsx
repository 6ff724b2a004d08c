"use client";

import { Generated } from "@/components/clusters/overview-panels";
import { DownloadCsv } from "@/components/tables/download-csv";
import { ScrollRegion } from "@/components/tables/scroll-region";
import { Instant } from "@/components/time/instant";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { EmptyState, FailedState } from "@/components/ui/panel-states";
import { SeverityMark } from "@/components/ui/severity";
import type { EventItem } from "@/lib/contracts/common";
import type { HistoryResponse } from "@/lib/contracts/history";
import { formatCount } from "@/lib/format/number";
import { useOlderEvents } from "./use-older-events";

const CSV_COLUMNS = [
  { head: "time", value: ({ at }: EventItem) => new Date(at).toISOString() },
  { head: "severity", value: ({ severity }: EventItem) => severity },
  { head: "kind", value: ({ kind }: EventItem) => kind },
  { head: "subject", value: ({ subject }: EventItem) => subject },
  { head: "change", value: ({ lead, text }: EventItem) => `${lead} ${text}` },
  { head: "before", value: ({ before }: EventItem) => before },
  { head: "after", value: ({ after }: EventItem) => after },
  { head: "generated", value: ({ isGenerated }: EventItem) => String(isGenerated) },
];

/**
 * Changes of the range, newest first, with the letter of their mark on the charts. Pointing at one points there too.
 * Older ones come on demand; a new range needs a new `key`.
 */
export function EventsPanel(props: {
  response: HistoryResponse;
  letters: ReadonlyMap<string, string>;
  onPoint: (at: number | null) => void;
  /** While the answer is that of another range, nothing older is asked for. */
  isPending: boolean;
}) {
  const { response, letters, onPoint, isPending } = props;
  const { header } = response;
  const { events, hasOlder, isReading, error, showOlder } = useOlderEvents(response);
  return (
    <Panel
      title="Changes in this range"
      meta={
        <>
          <span>
            {hasOlder && "newest "}
            {formatCount(events.length)}
          </span>
          <DownloadCsv fileName={`headroom-${header.name}-changes`} columns={CSV_COLUMNS} rows={events} />
        </>
      }
    >
      {events.length === 0 ? (
        <EmptyState lead="Nothing changed in this range">
          Versions, nodes, agents and FlowSchemas stayed as they were.
        </EmptyState>
      ) : (
        <ScrollRegion label="Changes in this range" className="max-h-[70vh] overflow-y-auto">
          <ol>
            {events.map((event) => (
              <li
                key={event.id}
                onPointerEnter={() => onPoint(event.at / 1000)}
                onPointerLeave={() => onPoint(null)}
                className="grid grid-cols-[18px_16px_minmax(0,1fr)] gap-x-2 border-b border-line px-3 py-1.5 last:border-b-0 hover:bg-raised"
              >
                <b className="text-center text-xs leading-[19px]">
                  {letters.get(`${event.at / 1000}|${`${event.lead} ${event.text}`.trim()}`) ?? ""}
                </b>
                <SeverityMark kind={event.severity} isWordHidden isQuiet />
                <div className="leading-[1.35]">
                  <span className="text-s text-fg-3">
                    <Instant at={event.at} look="day-and-minute" />
                  </span>
                  {event.isGenerated && <Generated />}
                  <p>
                    <b>{event.lead}</b> {event.text}
                  </p>
                </div>
              </li>
            ))}
          </ol>
          {error !== null ? (
            <FailedState
              what="Older changes"
              error={error}
              unaffected="Those above are not affected."
              onRetry={showOlder}
            />
          ) : (
            hasOlder && (
              <p className="flex items-center gap-2 border-t border-line px-3 py-2">
                <Button isSmall onClick={showOlder} disabled={isReading || isPending}>
                  Show older
                </Button>
                <span role="status" className="text-s text-fg-3">
                  {isReading && "Reading the store"}
                </span>
              </p>
            )
          )}
        </ScrollRegion>
      )}
    </Panel>
  );
}

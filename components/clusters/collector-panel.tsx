import type { ReactNode } from "react";
import { ScrollRegion } from "@/components/tables/scroll-region";
import { Instant } from "@/components/time/instant";
import { Panel } from "@/components/ui/panel";
import { SeverityMark } from "@/components/ui/severity";
import type { PartReport } from "@/lib/contracts/common";
import { formatBytes } from "@/lib/format/bytes";
import { formatDuration } from "@/lib/format/duration";
import { formatPlural } from "@/lib/format/number";
import { formatOwnSeats } from "@/lib/format/own-seats";
import {
  describeFailure,
  PART_TITLES,
  partSeverity,
  seatsByPart,
  type ToldFailure,
  tellFailuresOnce,
} from "./part-words";

/**
 * What every part of the last pass came to: state, time, answer; what was refused or skipped is named. A reason that
 * several parts share is told in full once.
 */
export function CollectorPanel({ parts, className }: { parts: readonly PartReport[]; className?: string }) {
  const told = tellFailuresOnce(parts);
  return (
    <Panel title="Collector, part by part" meta="read only" foot={seatsByPart(parts)} className={className}>
      <ScrollRegion label="Collector, part by part">
        <table className="table compact">
          <caption className="sr-only">Collector, part by part</caption>
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">State</th>
              <th scope="col" className="n">
                At
              </th>
              <th scope="col">Answer</th>
            </tr>
          </thead>
          <tbody>
            {parts.map((part, index) => (
              <tr key={part.part}>
                <th scope="row">{PART_TITLES[part.part]}</th>
                <td>
                  <SeverityMark kind={partSeverity(part.status)} word={part.status} isQuiet />
                </td>
                <td className="n">
                  <Instant at={part.attemptedAt} look="clock" />
                </td>
                <td className="wrap min-w-[160px]!">
                  <PartAnswer part={part} told={told[index]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Panel>
  );
}

function PartAnswer({ part, told }: { part: PartReport; told: ToldFailure | undefined }) {
  const { answer, notRead, isStale, valueAt, nextAttemptAt } = part;
  const failure = told?.failure ?? null;
  const remedy = told?.remedy ?? null;
  const cost = `${formatPlural(part.requests, "request")}, ${formatBytes(part.wireBytes)}, ${formatDuration(part.durationSeconds)}, ${formatOwnSeats(part.seats)}; every ${formatDuration(part.periodSeconds)}`;
  return (
    <div title={cost} className="py-0.5 wrap-anywhere">
      {part.status === "failed" && failure !== null ? failure : answer}
      {part.status === "skipped" && failure !== null && <Detail>{failure}</Detail>}
      {notRead.length > 0 && (
        <ul>
          {notRead.slice(0, 4).map((missing) => (
            <li key={`${missing.what}|${missing.serverId}`}>
              <Detail>
                <span className="text-unknown">not read</span> {missing.what}:{" "}
                {describeFailure(missing.failure)}
              </Detail>
            </li>
          ))}
          {notRead.length > 4 && <Detail>and {notRead.length - 4} more not read</Detail>}
        </ul>
      )}
      {remedy !== null && <Detail>{remedy}</Detail>}
      {isStale && valueAt !== null && (
        <Detail>
          <span className="text-unknown">
            last known good, <Instant at={valueAt} look="clock" />
          </span>
          {nextAttemptAt !== null && (
            <>
              ; next try <Instant at={nextAttemptAt} look="clock" />
            </>
          )}
        </Detail>
      )}
      {valueAt === null && <Detail>nothing usable was ever read</Detail>}
    </div>
  );
}

const Detail = ({ children }: { children: ReactNode }) => (
  <span className="block text-s leading-[1.3] text-fg-3">{children}</span>
);

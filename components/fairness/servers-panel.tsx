import { PanelAge } from "@/components/clusters/panel-age";
import { ScrollRegion } from "@/components/tables/scroll-region";
import { Age } from "@/components/time/instant";
import { Panel } from "@/components/ui/panel";
import type { FairnessLevelRow, FairnessResponse } from "@/lib/contracts/cluster";
import { formatCount, formatSeats, formatSignificant } from "@/lib/format/number";

/** The chosen level on every API server, side by side and never summed: each server has its own seats. */
export function ServersPanel(props: { response: FairnessResponse; levelName: string; className?: string }) {
  const { response, levelName, className } = props;
  return (
    <Panel
      title={`Per API server, ${levelName}`}
      className={className}
      state={response.part?.isStale === true ? "stale" : "normal"}
      meta={response.part?.isStale === true ? <PanelAge part={response.part} /> : "measured"}
      foot="There is no figure over several servers: a request waits for the seats of the one it reached."
    >
      <ScrollRegion label={`${levelName} per API server`}>
        <table className="table">
          <caption className="sr-only">{levelName} per API server</caption>
          <thead>
            <tr>
              <th scope="col">Server</th>
              <th scope="col" className="n">
                Seats / limit
              </th>
              <th scope="col" className="n">
                Waiting
              </th>
              <th scope="col" className="n">
                Rejected/s,
                <br />
                all levels
              </th>
              <th scope="col" className="n">
                Up
              </th>
              <th scope="col" className="n">
                Read
              </th>
            </tr>
          </thead>
          <tbody>
            {response.servers.map(({ server, levels, observedAt, rejectedPerSecond }) => {
              const level = levels.find(({ priorityLevelName }) => priorityLevelName === levelName);
              return (
                <tr key={server.id}>
                  <th scope="row" title={server.hostname ?? undefined}>
                    <b>{server.name}</b>
                  </th>
                  <td className="n">{level === undefined ? <Missing at={observedAt} /> : seatsOf(level)}</td>
                  <td className="n">
                    {level === undefined ? (
                      <Missing at={observedAt} />
                    ) : level.waitingRequests === null ? (
                      "–"
                    ) : (
                      formatCount(level.waitingRequests)
                    )}
                  </td>
                  <td className="n">
                    {rejectedPerSecond === null ? (
                      <NotKnown at={observedAt} />
                    ) : (
                      formatSignificant(rejectedPerSecond)
                    )}
                  </td>
                  <td className="n text-fg-3">
                    {server.processStartAt === null ? "not known" : <Age at={server.processStartAt} />}
                  </td>
                  <td className="n text-fg-3">
                    {observedAt === null ? <Missing at={null} /> : <Age at={observedAt} />}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollRegion>
    </Panel>
  );
}

/** A read server that publishes no seats of a level says so; a level without a limit has none. */
const seatsOf = ({ executingSeats, currentLimitSeats }: FairnessLevelRow) =>
  executingSeats === null ? (
    <span className="text-fg-3">not published</span>
  ) : (
    formatSeats(executingSeats, currentLimitSeats)
  );

/** A level that a read server does not have does not apply; a server that was not read is not read. */
const Missing = ({ at }: { at: number | null }) =>
  at === null ? <span className="text-unknown">not read</span> : <>–</>;

/** A rate needs two scrapes of the same process. */
const NotKnown = ({ at }: { at: number | null }) =>
  at === null ? <Missing at={at} /> : <span className="text-fg-3">not known</span>;

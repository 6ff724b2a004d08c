"use client";

import { panelStateOf, StateFoot } from "@/components/clusters/panel-age";
import { type Column, csvColumnsOf } from "@/components/tables/column";
import { ModelTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import type { TableModel } from "@/components/tables/table-model";
import { Age, Instant } from "@/components/time/instant";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { SeverityMark } from "@/components/ui/severity";
import type { FanOutAgent, FanOutResponse } from "@/lib/contracts/fan-out";
import { PROJECTION_SEEDS } from "@/lib/domain/fan-out/agent-projection";
import { VERDICT_THRESHOLDS } from "@/lib/domain/storm/verdict";
import { formatCount, formatPlural } from "@/lib/format/number";
import { boundOf } from "./agent-columns";
import { bytesAmount, seatsAmount } from "./amount-text";

export const AGENTS_TITLE = "Agents, if all copies LIST at once";

/** What every agent would cost, worst first. Choosing a row shows what it rests on, and its curve. */
export function AgentsPanel(props: {
  response: FanOutResponse;
  columns: readonly Column<FanOutAgent>[];
  model: TableModel<FanOutAgent>;
  selectedId: string | null;
  onSelect: (agentId: string) => void;
}) {
  const { response, columns, model, selectedId, onSelect } = props;
  const { agents, inventory, header } = response;
  const state = panelStateOf(inventory);
  const rows = model.getRowModel().rows.map(({ original }) => original);
  return (
    <Panel
      title={AGENTS_TITLE}
      state={state}
      meta={
        <>
          <Basis response={response} />
          {agents.length > 0 && (
            <DownloadCsv
              fileName={`headroom-${header.name}-agents`}
              columns={csvColumnsOf(columns)}
              rows={rows}
            />
          )}
        </>
      }
      foot={agents.length === 0 ? <StateFoot part={inventory} /> : <Foot response={response} />}
    >
      {agents.length === 0 ? (
        <NoAgents response={response} />
      ) : (
        <ModelTable
          caption={AGENTS_TITLE}
          model={model}
          onSelect={({ agent }) => onSelect(agent.id)}
          selectedKey={selectedId}
          foot={<Sums agents={agents} />}
        />
      )}
    </Panel>
  );
}

export const agentKey = ({ agent }: FanOutAgent): string => agent.id;

/** What the table rests on: scenario, price model, age of the simulation and of the list of workloads. */
function Basis({ response }: { response: FanOutResponse }) {
  const { projection, inventory, header } = response;
  return (
    <>
      {projection === null ? (
        inventory !== null && inventory.valueAt !== null && <span>not simulated yet</span>
      ) : (
        <span>
          start within {formatCount(projection.windowSeconds)} s · {formatCount(projection.seedsWanted)} seeds
          · model {projection.model} · simulated <Age at={projection.at} /> ago
        </span>
      )}
      {projection?.isCurrent === false && (
        <SeverityMark kind="unknown" word="figures changed since; the next simulation is on its way" />
      )}
      {header.apiServers !== null && <span>{formatPlural(header.apiServers, "API server")}</span>}
      {inventory?.isStale === true && inventory.valueAt !== null && (
        <SeverityMark
          kind="unknown"
          word={
            <>
              last known good, <Instant at={inventory.valueAt} look="clock" />, <Age at={inventory.valueAt} />{" "}
              old
            </>
          }
        />
      )}
    </>
  );
}

function Sums({ agents }: { agents: readonly FanOutAgent[] }) {
  const known = agents.filter(({ agent, total }) => agent.isKnown && total !== null);
  const copies = agents.reduce((sum, agent) => sum + (agent.copies ?? 0), 0);
  const sum = (pick: (agent: FanOutAgent) => FanOutAgent["perStart"]["seats"] | undefined) =>
    known.reduce(
      (all, agent) => {
        const own = pick(agent);
        const amount = own === undefined ? undefined : boundOf(agent, own);
        return {
          value: all.value + (amount?.value ?? 0),
          isComplete: all.isComplete && amount?.isComplete === true,
          isUpperBound: all.isUpperBound || amount?.isUpperBound === true,
        };
      },
      { value: 0, isComplete: known.length === agents.length, isUpperBound: false },
    );
  const bytes = bytesAmount(sum(({ total }) => total?.bytes));
  return (
    <tr>
      <td>{formatPlural(agents.length, "agent")}</td>
      <td className="n">{formatCount(copies)}</td>
      <td colSpan={4} />
      <td className="n">
        {bytes.figure} <span className="unit">{bytes.unit}</span>
      </td>
      <td className="n">{seatsAmount(sum(({ total }) => total?.seats))}</td>
      <td colSpan={3} />
    </tr>
  );
}

function Foot({ response }: { response: FanOutResponse }) {
  const { inventory, otherWorkloads, absent, doubts, agents } = response;
  const skipped = agents.filter(
    ({ projection }) => projection?.skipped?.startsWith("Not simulated") === true,
  );
  const few = agents.filter(
    ({ projection }) =>
      projection !== null && projection.skipped === null && projection.seeds < PROJECTION_SEEDS.length,
  );
  const limits = VERDICT_THRESHOLDS;
  return (
    <div className="grid gap-0.5">
      <p>
        <StateFoot part={inventory} /> {doubts.join(" ")} Invisible: nobody is rejected, neighbours wait at
        most {limits.invisibleNeighbourWaitSeconds} s at p99, its own requests at most{" "}
        {limits.invisibleOwnWaitSeconds} s, links stay below {100 * limits.invisibleLinkRatio} %. Visible:
        only the agent itself is rejected, neighbours wait at most {limits.visibleNeighbourWaitSeconds} s, it
        drains within {limits.visibleDrainSeconds} s. Unsafe: anything worse, or it never drains.
        Inconclusive: evidence that is bounded only, old, of another version, or figures that are.
      </p>
      <p>
        Bytes are those of answers before compression. Selectors do not lower the price of a LIST: pods of the
        own node cost as many seats as all pods, but hold them for milliseconds. Bounded: what RBAC allows,
        not what was seen.
        {skipped.length > 0 &&
          ` ${formatPlural(skipped.length, "agent fits", "agents fit")} the idle seats of one API server whole and ${skipped.length === 1 ? "is" : "are"} not simulated.`}
        {few.length > 0 &&
          ` ${formatPlural(few.length, "agent has", "agents have")} fewer than ${PROJECTION_SEEDS.length} seeds: the time for simulations was up.`}
        {otherWorkloads > 0 &&
          ` ${formatPlural(otherWorkloads, "other workload")} may list nothing in the whole cluster and ${otherWorkloads === 1 ? "is" : "are"} left out.`}
        {absent.length > 0 && ` Not installed here, so nothing to LIST: ${absent.join(", ")}.`}
      </p>
    </div>
  );
}

function NoAgents({ response }: { response: FanOutResponse }) {
  const { inventory, facts } = response;
  if (facts !== null) {
    return (
      <EmptyState lead="No agent runs here">
        No DaemonSet, no static pod, and no workload that may list something in the whole cluster.
      </EmptyState>
    );
  }
  if (inventory === null) {
    return (
      <EmptyState lead="Not read yet">
        Agents come with the first list of workloads, within minutes of the first pass.
      </EmptyState>
    );
  }
  return (
    <EmptyState kind="unknown" lead="Not read: workloads">
      Which agents run here is not known without the list of DaemonSets, Deployments and StatefulSets.
    </EmptyState>
  );
}

"use client";

import { clsx } from "clsx";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { useKeyBinding } from "@/components/frame/key-bindings";
import { type Column, csvColumnsOf } from "@/components/tables/column";
import { ModelTable } from "@/components/tables/data-table";
import { DownloadCsv } from "@/components/tables/download-csv";
import type { TableModel } from "@/components/tables/table-model";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { SeverityShape } from "@/components/ui/severity";
import type { ClusterState, FleetResponse, FleetRow } from "@/lib/contracts/fleet";
import { formatCount, formatPlural } from "@/lib/format/number";
import { OwnCost } from "./fleet-columns";
import { holdOrder } from "./hold-order";
import {
  CLUSTER_STATES,
  countStates,
  type FleetFilter,
  listRoles,
  listVersions,
  NO_FILTER,
} from "./prepare-fleet-rows";

/**
 * Every cluster, worst first, narrowed and sorted as the URL says, of which `signature` is the text. The last row sums
 * the whole fleet.
 */
export function ClustersPanel(props: {
  response: FleetResponse;
  columns: readonly Column<FleetRow>[];
  model: TableModel<FleetRow>;
  filter: FleetFilter;
  onFilter: (change: Partial<FleetFilter>) => void;
  signature: string;
}) {
  const { response, columns, model, filter, onFilter, signature } = props;
  const { rows, rowsById } = model.getRowModel();
  const { order, moved, takeOrder, setIsPointedAt } = useHeldOrder(
    rows.map(({ id }) => id),
    signature,
  );
  const shown = order.flatMap((key) => rowsById[key]?.original ?? []);
  const isNarrowed = rows.length !== response.rows.length;
  return (
    <Panel
      title="Clusters, worst first"
      meta={
        <>
          {moved > 0 && (
            <Button isSmall onClick={takeOrder}>
              {formatPlural(moved, "row")} changed order. Show
            </Button>
          )}
          <span className="max-lg:hidden">
            seats: busiest priority level on the busiest API server, in use / current limit
          </span>
          <DownloadCsv fileName="headroom-fleet" columns={csvColumnsOf(columns)} rows={shown} />
        </>
      }
    >
      <Filters response={response} filter={filter} onFilter={onFilter} />
      {shown.length === 0 ? (
        <EmptyState
          lead="No cluster fits the filter"
          action={
            <Button isSmall onClick={() => onFilter(NO_FILTER)}>
              Show all {formatCount(response.rows.length)}
            </Button>
          }
        />
      ) : (
        <ModelTable
          model={model}
          order={order}
          caption={`${isNarrowed ? `${shown.length} of ${response.rows.length}` : response.rows.length} clusters`}
          rowHref={({ clusterId }) => `/clusters/${encodeURIComponent(clusterId)}`}
          isStaleRow={({ unreachableSince }) => unreachableSince !== null}
          onPointerInside={setIsPointedAt}
          isStackable
          hasStickyHead
          foot={<Totals response={response} shown={shown.length} />}
        />
      )}
    </Panel>
  );
}

/**
 * Rows do not change places under the pointer: the new order is offered and taken when the reader asks. `signature`
 * names what the reader chose; choosing anew takes the new order at once.
 */
function useHeldOrder(next: readonly string[], signature: string) {
  const [held, setHeld] = useState<{ readonly signature: string; readonly keys: readonly string[] } | null>(
    null,
  );
  if (held !== null && held.signature !== signature) setHeld({ signature, keys: next });
  const isHeld = held !== null && held.signature === signature;
  const { keys: order, moved } = holdOrder(isHeld ? held.keys : [], next, isHeld);
  return {
    order,
    moved,
    setIsPointedAt: (isPointedAt: boolean) => setHeld(isPointedAt ? { signature, keys: order } : null),
    takeOrder: () => setHeld(null),
  };
}

function Filters(props: {
  response: FleetResponse;
  filter: FleetFilter;
  onFilter: (change: Partial<FleetFilter>) => void;
}) {
  const { response, filter, onFilter } = props;
  const input = useRef<HTMLInputElement>(null);
  useKeyBinding("/", "Filter the clusters", () => input.current?.focus());
  const counts = useMemo(() => countStates(response.rows), [response.rows]);
  return (
    <search aria-label="Filter clusters" className="flex flex-wrap items-center gap-1.5 px-3 pb-2.5">
      <input
        ref={input}
        type="search"
        aria-label="Filter by name, role, version or reason"
        placeholder="Filter: name, role, version  /"
        value={filter.text}
        onChange={(event) => onFilter({ text: event.target.value })}
        className="h-[var(--control-h)] w-[220px] rounded-2 border border-control bg-raised px-2"
      />
      <StateFilter isOn={filter.state === null} onPress={() => onFilter({ state: null })}>
        All {formatCount(response.rows.length)}
      </StateFilter>
      {CLUSTER_STATES.filter((state) => counts[state] > 0 || filter.state === state).map((state) => (
        <StateFilter
          key={state}
          isOn={filter.state === state}
          onPress={() => onFilter({ state: filter.state === state ? null : state })}
        >
          <SeverityShape kind={state} />
          {STATE_NAMES[state]} {formatCount(counts[state])}
        </StateFilter>
      ))}
      <span aria-hidden="true" className="mx-0.5 text-fg-3 max-sm:hidden">
        |
      </span>
      <Choice
        label="Role"
        value={filter.role}
        options={listRoles(response.rows)}
        onChange={(role) => onFilter({ role })}
      />
      <Choice
        label="Version"
        value={filter.version}
        options={listVersions(response.rows)}
        onChange={(version) => onFilter({ version })}
      />
    </search>
  );
}

const STATE_NAMES: Readonly<Record<ClusterState, string>> = {
  error: "Error",
  unreachable: "Unreachable",
  warning: "Warning",
  unknown: "Never read",
  ok: "Ok",
};

function StateFilter(props: { isOn: boolean; onPress: () => void; children: ReactNode }) {
  const { isOn, onPress, children } = props;
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onPress}
      className={clsx(
        "inline-flex h-[var(--control-h)] items-center gap-[5px] whitespace-nowrap rounded-2 border px-[9px] tabular-nums",
        isOn ? "border-accent bg-accent-tint text-fg" : "border-line-strong text-fg-2 hover:text-fg",
      )}
    >
      {children}
    </button>
  );
}

function Choice(props: {
  label: string;
  value: string;
  options: readonly string[];
  onChange: (value: string) => void;
}) {
  const { label, value, options, onChange } = props;
  if (options.length === 0) return null;
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={clsx(
        "h-[var(--control-h)] rounded-2 border px-2 max-sm:hidden",
        value === "" ? "border-line-strong bg-panel text-fg-2" : "border-accent bg-accent-tint text-fg",
      )}
    >
      <option value="">{label}: any</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {label}: {option}
        </option>
      ))}
    </select>
  );
}

/** Sums over the whole fleet, whatever the filter shows, and what they do not cover. */
function Totals({ response, shown }: { response: FleetResponse; shown: number }) {
  const { totals } = response;
  const isNarrowed = shown !== totals.clusters;
  return (
    <tr className="max-sm:hidden!">
      <td />
      <td>{formatPlural(totals.clusters, "cluster")}</td>
      <td className="wrap">
        {isNarrowed && `${formatCount(shown)} shown, sums cover all. `}
        {totals.clustersWithoutNodes > 0 &&
          `Nodes of ${formatPlural(totals.clustersWithoutNodes, "cluster")} are not known and not in the sum.`}
      </td>
      <td colSpan={2} />
      <td className="n">{formatCount(totals.nodes)}</td>
      <td colSpan={3} />
      <td className="n text-fg-3">own cost</td>
      <td className="n">
        <OwnCost cost={totals.ownCost} />
      </td>
    </tr>
  );
}

import type { Column } from "@/components/tables/column";
import type { FairnessServer } from "@/lib/contracts/cluster";
import { formatDuration } from "@/lib/format/duration";
import { formatCount } from "@/lib/format/number";

export type Flow = NonNullable<FairnessServer["flows"]>[number];

/** Queues named before the rest are counted. */
const QUEUES_SHOWN = 8;

/** Flows of one level on one API server, as `dump_requests` holds them. */
export function flowColumns(): readonly Column<Flow>[] {
  return [
    {
      id: "flow",
      label: "Flow (distinguisher)",
      cellClass: "wrap w-[45%]",
      cell: (flow) => (
        <>
          <span className="font-medium break-all">{flowName(flow)}</span>
          <span className="block text-s leading-[1.3] text-fg-3">
            {[flow.flowSchemaName, ...flow.requestKinds].join(" · ")}
          </span>
        </>
      ),
      text: flowName,
      csv: (flow) => flow.flowDistinguisher,
    },
    count("executing", "Executing", (flow) => flow.executingRequests),
    count("seats", "Seats", (flow) => flow.executingSeats),
    count("waiting", "Waiting", (flow) => flow.waitingRequests),
    {
      id: "queues",
      label: "Queues",
      cell: ({ queues }) => <span className="font-mono text-s">{queuesText(queues)}</span>,
      text: ({ queues }) => queuesText(queues),
      csv: ({ queues }) => queues.join(" "),
    },
    {
      id: "wait",
      label: "Longest wait",
      isNumeric: true,
      cell: (flow) => waitText(flow),
      text: waitText,
      csv: (flow) => flow.longestWaitSeconds,
    },
  ];
}

const flowName = ({ flowDistinguisher, flowSchemaName }: Flow) =>
  flowDistinguisher === "" ? `all requests of ${flowSchemaName}` : flowDistinguisher;

const waitText = ({ longestWaitSeconds }: Flow) =>
  longestWaitSeconds === null ? "–" : formatDuration(longestWaitSeconds);

function queuesText(queues: readonly number[]): string {
  if (queues.length === 0) return "–";
  const rest = queues.length - QUEUES_SHOWN;
  return `${queues.slice(0, QUEUES_SHOWN).join(" ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function count(id: string, label: string, read: (flow: Flow) => number): Column<Flow> {
  return {
    id,
    label,
    isNumeric: true,
    cell: (flow) => formatCount(read(flow)),
    text: (flow) => formatCount(read(flow)),
    csv: read,
  };
}

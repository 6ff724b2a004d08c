"use client";

import { useState } from "react";
import { usePreferences } from "@/components/preferences/preferences";
import type { Column } from "@/components/tables/column";
import { DataTable } from "@/components/tables/data-table";
import { Instant } from "@/components/time/instant";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";
import { RowLink } from "@/components/ui/row-link";
import { SeverityMark } from "@/components/ui/severity";
import type { ChangesResponse } from "@/lib/contracts/fleet";
import { formatDayAndMinute } from "@/lib/format/instant";
import { formatCount, formatPlural } from "@/lib/format/number";
import { ASK_ABOVE, type Change, mergeChanges } from "./prepare-changes";
import { useAcknowledge } from "./use-acknowledge";

/** Rows shown before the rest is asked for, so that the clusters stay in sight. */
const SHOWN_AT_FIRST = 8;

type Row = ReturnType<typeof mergeChanges>[number];

/** What changed since this reader's last review, with the figure before and after. Acknowledging never deletes. */
export function ChangesPanel({ response }: { response: ChangesResponse }) {
  const { timeZone } = usePreferences();
  const [isAsking, setIsAsking] = useState(false);
  const [isLong, setIsLong] = useState(false);
  const actions = useAcknowledge();
  const rows = mergeChanges(response.changes, actions.acknowledged, timeZone);
  const waiting = rows.filter(({ isAcknowledged }) => !isAcknowledged).map(({ change }) => change);
  const total = Math.max(waiting.length, response.total - (response.changes.length - waiting.length));
  const acknowledgeAll = () => void actions.acknowledgeAll(waiting, response.now);
  const columns = columnsOf(actions.acknowledgeOne, actions.undoOne);
  const shown = isLong ? rows : rows.slice(0, SHOWN_AT_FIRST);
  return (
    <Panel
      title="Changed since your last review"
      meta={
        <>
          <span>
            {response.lastReviewAt !== null && (
              <>
                last review <Instant at={response.lastReviewAt} look="day-and-minute" /> ·{" "}
              </>
            )}
            {formatCount(total)} new, {formatCount(response.acknowledgedTotal)} already acknowledged
          </span>
          {actions.acknowledgedTotal > 0 && (
            <Button isSmall onClick={() => void actions.undoAll()}>
              Undo {formatPlural(actions.acknowledgedTotal, "acknowledgement")}
            </Button>
          )}
          {waiting.length > 0 && (
            <Button isSmall onClick={() => (total > ASK_ABOVE ? setIsAsking(true) : acknowledgeAll())}>
              Acknowledge all {formatCount(total)}
            </Button>
          )}
        </>
      }
      foot={
        <Foot
          problem={actions.problem}
          total={total}
          listed={rows.length}
          shown={shown.length}
          onMore={() => setIsLong(true)}
        />
      }
    >
      {rows.length === 0 ? (
        <EmptyState
          lead={
            response.lastReviewAt === null
              ? "Nothing changed since Headroom began to read these clusters"
              : `Nothing changed since ${formatDayAndMinute(response.lastReviewAt, timeZone)}`
          }
        >
          Changes of versions, nodes, agents, FlowSchemas and reachability appear here until you acknowledge
          them.
        </EmptyState>
      ) : (
        <DataTable
          caption="Changes, by day, worst first"
          columns={columns}
          rows={shown}
          rowKey={({ change }) => change.id}
          rowHref={({ change }) => change.href}
          onLetter={(letter, { change, isAcknowledged }) => {
            if (letter !== "a") return false;
            void (isAcknowledged ? actions.undoOne(change) : actions.acknowledgeOne(change));
            return true;
          }}
          isStaleRow={({ isAcknowledged }) => isAcknowledged}
          isHeadHidden
          isStackable
        />
      )}
      <Dialog
        title={`Acknowledge all ${formatCount(total)} changes?`}
        isOpen={isAsking}
        onOpenChange={setIsAsking}
      >
        <div className="grid gap-3 px-4 pt-2 pb-4">
          <p className="text-fg-2">
            They leave this list and stay in the history. You can undo it for ten seconds.
          </p>
          <div className="flex justify-end gap-2">
            <Button onClick={() => setIsAsking(false)}>Keep them</Button>
            <Button
              look="primary"
              onClick={() => {
                setIsAsking(false);
                acknowledgeAll();
              }}
            >
              Acknowledge all
            </Button>
          </div>
        </div>
      </Dialog>
    </Panel>
  );
}

/** What went wrong; else how many more changes there are and how to see them. */
function Foot(props: {
  problem: string | null;
  total: number;
  listed: number;
  shown: number;
  onMore: () => void;
}) {
  const { problem, total, listed, shown, onMore } = props;
  if (problem !== null) {
    return (
      <span role="alert" className="text-error">
        {problem}
      </span>
    );
  }
  if (shown < listed) {
    return (
      <>
        The first {formatCount(shown)} of {formatCount(total)}.{" "}
        <Button look="ghost" isSmall onClick={onMore}>
          Show {listed < total ? `the newest ${formatCount(listed)}` : "all"}
        </Button>
      </>
    );
  }
  return listed > 0 && total > listed
    ? `The newest ${formatCount(listed)} of ${formatCount(total)} are shown.`
    : null;
}

function columnsOf(
  acknowledge: (change: Change) => void,
  undo: (change: Change) => void,
): readonly Column<Row>[] {
  return [
    {
      id: "severity",
      label: "Severity",
      narrow: "hidden",
      cellClass: "w-[26px] pr-0!",
      cell: ({ change }) => <SeverityMark kind={change.severity} isWordHidden />,
    },
    {
      id: "at",
      label: "When",
      narrow: "half",
      cellClass: "w-[110px] text-fg-3",
      cell: ({ change }) => (
        <>
          <span className="sm:hidden">
            <SeverityMark kind={change.severity} isWordHidden />{" "}
          </span>
          <Instant at={change.at} look="day-or-time" />
        </>
      ),
    },
    {
      id: "cluster",
      label: "Cluster",
      narrow: "half",
      cellClass: "max-w-[40ch] truncate font-medium",
      cell: ({ change }) => <span title={change.clusterName}>{change.clusterName}</span>,
    },
    {
      id: "change",
      label: "Change",
      narrow: "full",
      cellClass: "wrap w-full",
      cell: ({ change }) => <ChangeText change={change} />,
    },
    {
      id: "evidence",
      label: "Evidence",
      narrow: "half",
      cell: ({ change }) => (
        <RowLink href={change.href}>
          {change.hrefLabel}
          <span className="sr-only"> of {change.clusterName}</span>
        </RowLink>
      ),
    },
    {
      id: "acknowledge",
      label: "Acknowledge",
      narrow: "half",
      cellClass: "n",
      cell: ({ change, isAcknowledged }) => (
        <Button isSmall tabIndex={-1} onClick={() => (isAcknowledged ? undo(change) : acknowledge(change))}>
          {isAcknowledged ? "Undo" : "Acknowledge"}
          <span className="sr-only">
            {" "}
            {change.clusterName}, {change.lead}
          </span>
        </Button>
      ),
    },
  ];
}

/** Lead set strong, the rest with figures, before and after where the text does not carry them. */
export function ChangeText({ change }: { change: Pick<Change, "lead" | "text" | "isGenerated"> }) {
  return (
    <>
      <b className="font-semibold">{change.lead}</b> {change.text}
      {change.isGenerated && (
        <span className="ml-2 rounded-1 border border-dashed border-control px-1 text-xs text-fg-3">
          generated
        </span>
      )}
    </>
  );
}

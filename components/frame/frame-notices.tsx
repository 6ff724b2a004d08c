"use client";

import { useQuery } from "@tanstack/react-query";
import { Age } from "@/components/time/instant";
import { Notice } from "@/components/ui/notice";
import type { Frame } from "@/lib/contracts/common";
import { frameQuery } from "@/lib/queries/frame";

/** Trouble of Headroom's own that touches every page: no answer, no collector, a store that cannot be written. */
export function FrameNotices() {
  const { data: frame, error, dataUpdatedAt } = useQuery(frameQuery());
  const collector = frame === undefined ? null : collectorNotice(frame.collector.state);
  if (error === null && collector === null && (frame?.storeNotice ?? null) === null) return null;
  return (
    <div role="status" className="grid gap-2">
      {error !== null && (
        <Notice severity="unknown" lead="Headroom's own server does not answer as it should.">
          <p>
            {error.message}
            {dataUpdatedAt > 0 && (
              <>
                {" "}
                Last answer <Age at={dataUpdatedAt} /> ago.
              </>
            )}
          </p>
        </Notice>
      )}
      {frame !== undefined && frame.storeNotice !== null && (
        <Notice severity="error" lead="The store is in trouble.">
          <p>{frame.storeNotice}</p>
        </Notice>
      )}
      {frame !== undefined && collector !== null && (
        <Notice severity={collector.severity} lead={collector.lead}>
          <p>
            {frame.collector.message ?? collector.text}
            {frame.collector.heartbeatAt !== null && (
              <>
                {" "}
                It last gave a sign of life <Age at={frame.collector.heartbeatAt} /> ago.
              </>
            )}
          </p>
        </Notice>
      )}
    </div>
  );
}

function collectorNotice(state: Frame["collector"]["state"]) {
  switch (state) {
    case "running":
      return null;
    case "starting":
      return {
        severity: "info" as const,
        lead: "The collector is starting.",
        text: "What is shown comes from the store.",
      };
    case "restarting":
      return {
        severity: "warning" as const,
        lead: "The collector stopped and is being started again.",
        text: "What is shown comes from the store and gets older meanwhile.",
      };
    case "stopped":
      return {
        severity: "error" as const,
        lead: "The collector is not running.",
        text: "Nothing new is read. What is shown comes from the store, with its age.",
      };
    case "external-absent":
      return {
        severity: "error" as const,
        lead: "No collector gives a sign of life.",
        text: "This server expects a collector of its own process: npm run collector. What is shown comes from the store, with its age.",
      };
    default:
      return state satisfies never;
  }
}

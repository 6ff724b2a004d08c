"use client";

import { useState } from "react";
import { DownloadCsv } from "@/components/tables/download-csv";
import { ScrollRegion } from "@/components/tables/scroll-region";
import { formatDayAndMinute } from "@/lib/format/instant";
import { formatChartValue } from "./chart-value";
import type { PreparedChart } from "./prepare-chart";

/** More rows than this are thinned out on the page; the CSV holds all of them. */
const TABLE_ROWS = 200;

/** The values of a chart as a table, made when it is opened. */
export function ChartTable({ chart, timeZone }: { chart: PreparedChart; timeZone: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="no-print mt-1 text-s" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="w-fit py-0.5 text-fg-3 hover:text-fg">Values as a table</summary>
      {isOpen && <Values chart={chart} timeZone={timeZone} />}
    </details>
  );
}

function Values({ chart, timeZone }: { chart: PreparedChart; timeZone: string }) {
  const rows = chart.times.map((at, index) => ({ at, index }));
  const every = Math.max(1, Math.ceil(rows.length / TABLE_ROWS));
  const shown = rows.filter(({ index }) => index % every === 0);
  const columns = [
    { head: "time", value: (row: { at: number; index: number }) => new Date(row.at * 1000).toISOString() },
    ...chart.series.map(({ label, values }) => ({
      head: label,
      value: (row: { at: number; index: number }) => values[row.index] ?? null,
    })),
  ];
  return (
    <div className="mt-1 rounded-1 border border-line">
      <p className="flex flex-wrap items-center justify-between gap-2 px-2.5 py-1.5 text-fg-3">
        {every === 1 ? `${shown.length} rows` : `every ${every} rows of ${rows.length}; the CSV holds all`}
        <DownloadCsv
          fileName={chart.title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}
          columns={columns}
          rows={rows}
        />
      </p>
      <ScrollRegion label={chart.title} className="max-h-72 overflow-y-auto">
        <table className="table compact">
          <caption className="sr-only">{chart.title}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {chart.series.map(({ key, label }) => (
                <th key={key} scope="col" className="n">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ at, index }) => (
              <tr key={at}>
                <td>{formatDayAndMinute(at * 1000, timeZone)}</td>
                {chart.series.map(({ key, values }) => (
                  <td key={key} className="n">
                    {cellText(chart, values[index])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}

/** A gap is `not read`; a time between two coarser points does not apply. */
function cellText(chart: PreparedChart, value: number | null | undefined): string {
  if (value === null) return "not read";
  return value === undefined ? "–" : formatChartValue(chart.scale, value);
}

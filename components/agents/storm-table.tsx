"use client";

import { useState } from "react";
import { DownloadCsv } from "@/components/tables/download-csv";
import { ScrollRegion } from "@/components/tables/scroll-region";
import type { StormChart } from "./prepare-storm-chart";

/** More rows than this are thinned out on the page; the CSV holds all of them. */
const TABLE_ROWS = 200;

/** The values of a storm as a table, made when it is opened. */
export function StormTable({ chart }: { chart: StormChart }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="no-print mt-1 text-s" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="w-fit py-0.5 text-fg-3 hover:text-fg">Values as a table</summary>
      {isOpen && <Values chart={chart} />}
    </details>
  );
}

function Values({ chart: { panes, stepSeconds } }: { chart: StormChart }) {
  const lines = panes.flatMap(({ lines, format }) => lines.map((line) => ({ ...line, format })));
  const steps = Math.max(0, ...lines.map(({ values }) => values.length));
  const rows = Array.from({ length: steps }, (_, index) => index);
  const every = Math.max(1, Math.ceil(steps / TABLE_ROWS));
  const shown = rows.filter((index) => index % every === 0);
  const secondsAt = (index: number) => Math.round(1000 * index * stepSeconds) / 1000;
  return (
    <div className="mt-1 rounded-1 border border-line">
      <p className="flex flex-wrap items-center justify-between gap-2 px-2.5 py-1.5 text-fg-3">
        {every === 1 ? `${shown.length} rows` : `every ${every} rows of ${steps}; the CSV holds all`},
        simulated
        <DownloadCsv
          fileName="headroom-storm"
          columns={[
            { head: "seconds", value: (index: number) => secondsAt(index) },
            ...lines.map(({ label, values }) => ({
              head: label,
              value: (index: number) => values[index] ?? null,
            })),
          ]}
          rows={rows}
        />
      </p>
      <ScrollRegion label="Storm over time" className="max-h-72 overflow-y-auto">
        <table className="table compact">
          <caption className="sr-only">Storm over time, simulated</caption>
          <thead>
            <tr>
              <th scope="col" className="n">
                Seconds
              </th>
              {lines.map(({ key, label }) => (
                <th key={key} scope="col" className="n">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((index) => (
              <tr key={index}>
                <td className="n">{secondsAt(index)}</td>
                {lines.map(({ key, values, format }) => (
                  <td key={key} className="n">
                    {format(values[index] ?? 0)}
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

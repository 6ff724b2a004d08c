"use client";

import { Download } from "lucide-react";
import { Button } from "@/components/ui/button";
import { type CsvColumn, toCsv } from "@/lib/format/csv";

/** Saves the rows of a table as they are filtered and sorted. Nothing leaves the browser. */
export function DownloadCsv<Row>(props: {
  fileName: string;
  columns: readonly CsvColumn<Row>[];
  rows: readonly Row[];
}) {
  const { fileName, columns, rows } = props;
  const save = () => {
    const url = URL.createObjectURL(new Blob([toCsv(columns, rows)], { type: "text/csv;charset=utf-8" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${fileName}.csv`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Button isSmall onClick={save} disabled={rows.length === 0} className="no-print">
      <Download size={12} aria-hidden="true" />
      CSV
      <span className="sr-only"> of {fileName}</span>
    </Button>
  );
}

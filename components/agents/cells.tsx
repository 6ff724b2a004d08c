import type { ReactNode } from "react";
import { bytesQuantity } from "@/lib/format/bytes";
import { UNIT_SPACE } from "@/lib/format/number";

/** Cells that several tables of agents share. */
export const Dim = ({ children }: { children: ReactNode }) => <span className="text-fg-3">{children}</span>;
export const NotKnown = () => <Dim>not known</Dim>;

/** A figure of the simulation: its dashed underline says so. */
export const Sim = ({ children, title }: { children: ReactNode; title?: string | undefined }) => (
  <span className="simulated" title={title}>
    {children}
  </span>
);

/** Bytes of the cost model. */
export function EstimatedBytes({ bytes }: { bytes: number | null }) {
  if (bytes === null) return <NotKnown />;
  const { figure, unit } = bytesQuantity(bytes);
  return (
    <>
      ≈{UNIT_SPACE}
      {figure} <span className="unit">{unit}</span>
    </>
  );
}

export function TwoLines({ first, second }: { first: string; second: ReactNode }) {
  return (
    <span>
      {first}
      <br />
      {second}
    </span>
  );
}

export const SimTag = () => (
  <span className="rounded-1 border border-dashed border-control px-1 text-xs text-fg-3">sim</span>
);

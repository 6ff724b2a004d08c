import { ZoneLine } from "@/components/time/instant";

/** The three kinds of number, the units and the zone; at the foot of every page. */
export function Legend({ version }: { version: string }) {
  return (
    <footer className="mx-auto flex w-full max-w-[var(--page-max)] flex-wrap gap-x-4.5 gap-y-1 border-t border-line px-[var(--page-pad)] py-3 text-s text-fg-3">
      <span>How figures are written:</span>
      <span>
        <b>n</b> measured
      </span>
      <span>
        <b>≈ n</b> estimated by the cost model
      </span>
      <span>
        <b className="simulated">n</b> simulated
      </span>
      <span>kB MB GB = powers of 1000, transfer · KiB MiB GiB = powers of 1024, memory</span>
      <span>
        <ZoneLine />
      </span>
      <span className="ml-auto">Headroom {version}</span>
    </footer>
  );
}

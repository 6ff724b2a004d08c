import { clsx } from "clsx";
import Link from "next/link";
import { SeverityMark } from "@/components/ui/severity";
import type { FleetResponse } from "@/lib/contracts/fleet";
import { formatCount } from "@/lib/format/number";
import type { RiskArea } from "./prepare-fleet-rows";

type Risk = FleetResponse["risks"][number];

const AREAS: Readonly<Record<RiskArea, { readonly title: string; readonly about: string }>> = {
  "fan-out": { title: "Fan-out", about: "what if all copies LIST at once" },
  fairness: { title: "Fairness", about: "priority levels, seats, rejections" },
  collection: { title: "Collection", about: "can every cluster be read" },
};

/** One card per area of risk: clusters by state and the worst case in one line. A card narrows the table to its trouble. */
export function RiskStrip({ risks, current }: { risks: readonly Risk[]; current: RiskArea | null }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of links, not of fields
    <div role="group" aria-label="Risks, clusters by state" className="grid gap-[var(--gap)] sm:grid-cols-3">
      {risks.map((risk) => (
        <RiskCard key={risk.area} risk={risk} isCurrent={risk.area === current} />
      ))}
    </div>
  );
}

function RiskCard({ risk, isCurrent }: { risk: Risk; isCurrent: boolean }) {
  const { title, about } = AREAS[risk.area];
  return (
    <Link
      href={isCurrent ? "/" : `/?risk=${risk.area}`}
      scroll={false}
      aria-current={isCurrent ? "true" : undefined}
      className={clsx(
        "grid content-start gap-1.5 rounded-2 border px-3 py-2.5 text-fg hover:border-line-strong hover:bg-raised hover:no-underline",
        isCurrent ? "border-accent bg-accent-tint" : "border-line bg-panel",
      )}
    >
      <span className="flex justify-between gap-2 text-s">
        <b className="text-l font-semibold">{title}</b>
        <span className="text-fg-3 max-sm:hidden">{about}</span>
      </span>
      <span className="flex flex-wrap gap-x-3 gap-y-0.5 text-s">
        {(["error", "warning", "ok", "unknown"] as const).map((severity) => (
          <SeverityMark
            key={severity}
            kind={severity}
            isQuiet
            word={
              <>
                <span className="text-l leading-[1.3] font-semibold">{formatCount(risk[severity])}</span>{" "}
                {severity}
              </>
            }
          />
        ))}
      </span>
      <span className="text-s leading-[1.35] text-fg-2">
        {risk.worst === null ? "Nothing to do" : `Worst: ${risk.worst}`}
        {isCurrent && <span className="text-fg-3"> · shown below; press again to show all</span>}
      </span>
    </Link>
  );
}

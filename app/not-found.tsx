import type { Metadata } from "next";
import Link from "next/link";
import { PageHead } from "@/components/frame/page-head";
import { buttonClass } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { EmptyState } from "@/components/ui/panel-states";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <>
      <PageHead title="Not found" />
      <Panel title="There is nothing at this address">
        <EmptyState
          lead="The address may be mistyped, or what it named was removed"
          action={
            <Link href="/" className={buttonClass({ isSmall: true })}>
              Open the fleet
            </Link>
          }
        >
          Clusters keep their address when a context is renamed. The palette (Ctrl K) finds them by name.
        </EmptyState>
      </Panel>
    </>
  );
}

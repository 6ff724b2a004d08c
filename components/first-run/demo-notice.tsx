"use client";

import { X } from "lucide-react";
import Link from "next/link";
import { setPreference, usePreferences } from "@/components/preferences/preferences";
import { Button, buttonClass } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { formatPlural } from "@/lib/format/number";

/** Says once that what is shown is the demo fleet, and how to add a cluster. Closing it is kept in this browser. */
export function DemoNotice({ clusters }: { clusters: number }) {
  const { isDemoNoticeClosed } = usePreferences();
  if (isDemoNoticeClosed) return null;
  return (
    <Notice
      severity="info"
      lead={`You are looking at ${formatPlural(clusters, "generated cluster")}.`}
      actions={
        <>
          <Link href="/first-run" className={buttonClass()}>
            How to add a cluster
          </Link>
          <Button
            look="icon"
            aria-label="Close this notice"
            title="Close this notice"
            onClick={() => setPreference("isDemoNoticeClosed", true)}
          >
            <X size={14} aria-hidden="true" />
          </Button>
        </>
      }
    >
      <p>
        They are served by a small API server on loopback and read by the same collector as yours would be.
        Nothing leaves this machine.
      </p>
    </Notice>
  );
}

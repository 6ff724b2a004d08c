"use client";

import { Copy } from "lucide-react";
import { useState } from "react";
import { ScrollRegion } from "@/components/tables/scroll-region";
import { Button } from "./button";

/** Text to copy. Long lines scroll sideways; a press copies all of it. */
export function CodeBlock(props: {
  label: string;
  code: string;
  hasCopy?: boolean;
  maxHeightClass?: string;
}) {
  const { label, code, hasCopy = false, maxHeightClass = "" } = props;
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  const copy = () => {
    const done = navigator.clipboard?.writeText(code) ?? Promise.reject(new Error("no clipboard"));
    done.then(
      () => setState("copied"),
      () => setState("refused"),
    );
  };
  return (
    <div className="grid gap-1.5">
      <ScrollRegion label={label} className={`rounded-1 border border-line bg-sunken ${maxHeightClass}`}>
        <pre className="px-3 py-2.5 font-mono text-s leading-normal">{code}</pre>
      </ScrollRegion>
      {hasCopy && (
        <div className="flex items-center gap-2">
          <Button isSmall onClick={copy}>
            <Copy size={12} aria-hidden="true" />
            Copy {label}
          </Button>
          <span role="status" className="text-s text-fg-3">
            {state === "copied" && "Copied"}
            {state === "refused" && "The browser refused the clipboard: select the text instead"}
          </span>
        </div>
      )}
    </div>
  );
}

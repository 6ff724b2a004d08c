"use client";

import { Copy } from "lucide-react";
import { useState } from "react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";
import { useKeyBinding } from "./key-bindings";

/** Copies the page as it is shown. The text is made when it is asked for; `null` while there is nothing to copy. */
export function CopyMarkdown({ makeText }: { makeText: (() => string) | null }) {
  const [hasFailed, setHasFailed] = useState(false);
  const copy =
    makeText === null
      ? null
      : () => {
          copyText(makeText()).then(
            () => {
              setHasFailed(false);
              toast("Copied as Markdown");
            },
            () => setHasFailed(true),
          );
        };
  useKeyBinding("c", "Copy the page as Markdown", copy);
  return (
    <>
      {hasFailed && (
        <span role="alert" className="text-s text-error">
          The browser refused the clipboard.
        </span>
      )}
      <Button onClick={() => copy?.()} disabled={copy === null} title="Copy as Markdown (c)">
        <Copy size={14} aria-hidden="true" />
        Copy as Markdown
      </Button>
    </>
  );
}

/** @throws when the browser has no clipboard or refuses it. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard === undefined) throw new Error("no clipboard");
  await navigator.clipboard.writeText(text);
}

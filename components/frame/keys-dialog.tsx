"use client";

import Link from "next/link";
import { usePreferences } from "@/components/preferences/preferences";
import { Dialog } from "@/components/ui/dialog";
import { useKeyRegistry } from "./key-bindings";

/** Keys that belong to whatever has the focus rather than to the page. */
const ALWAYS = [
  {
    keys: ["Ctrl K", "Cmd K"],
    label: "Find a cluster, agent, rule or page; Ctrl Enter opens it in a new tab",
  },
  { keys: ["Esc"], label: "Close" },
] as const;

const IN_TABLES = [
  { keys: ["j", "k", "↓", "↑"], label: "Next, previous row; ↑ from the first row goes to the heads" },
  { keys: ["Home", "End"], label: "First, last row" },
  { keys: ["→", "←"], label: "Links and buttons of the row; in the heads the next column" },
  { keys: ["Enter"], label: "Open the row; Ctrl Enter in a new tab" },
] as const;

const IN_CHARTS = [{ keys: ["→", "←"], label: "Read values one by one; with Shift ten by ten" }] as const;

/** Lists the keys of the page as it is now. */
export function KeysDialog({
  isOpen,
  onOpenChange,
}: {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}) {
  const registry = useKeyRegistry();
  const { hasLetterKeys } = usePreferences();
  const ofPage =
    isOpen && hasLetterKeys ? registry.list().map(({ keys, label }) => ({ keys: [keys], label })) : [];
  return (
    <Dialog title="Keys" isOpen={isOpen} onOpenChange={onOpenChange}>
      <div className="grid gap-4 px-4 pt-2 pb-4">
        <KeyList title="Everywhere" rows={[...ALWAYS, ...ofPage]} />
        <KeyList title="In tables" rows={IN_TABLES} />
        <KeyList title="In charts" rows={IN_CHARTS} />
        <p className="text-s text-fg-3">
          Single-letter keys are {hasLetterKeys ? "on" : "off"}:{" "}
          <Link href="/settings/preferences" onClick={() => onOpenChange(false)}>
            Settings
          </Link>
          . They do nothing while you type in a field.
        </p>
      </div>
    </Dialog>
  );
}

function KeyList(props: {
  title: string;
  rows: readonly { readonly keys: readonly string[]; readonly label: string }[];
}) {
  const { title, rows } = props;
  return (
    <div>
      <h3 className="text-s text-fg-3">{title}</h3>
      <dl className="mt-1 grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4">
        {rows.map(({ keys, label }) => (
          <div
            key={label}
            className="col-span-2 grid grid-cols-subgrid border-b border-line py-1 last:border-0"
          >
            <dt className="flex min-w-24 gap-1">
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

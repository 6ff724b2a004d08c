"use client";

import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";

/** A dialog only for what needs an answer. Focus goes in, stays in and returns; Esc closes. */
export function Dialog(props: {
  title: string;
  isTitleHidden?: boolean;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  children: ReactNode;
}) {
  const { title, isTitleHidden = false, isOpen, onOpenChange, children } = props;
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)]" />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 max-h-[76vh] w-[min(620px,calc(100vw-32px))] -translate-x-1/2 overflow-y-auto rounded-3 border border-line-strong bg-panel text-fg shadow-pop"
        >
          {isTitleHidden ? (
            <Radix.Title className="sr-only">{title}</Radix.Title>
          ) : (
            <header className="flex items-center justify-between px-4 pt-3.5">
              <Radix.Title>{title}</Radix.Title>
              <Radix.Close
                aria-label="Close"
                className="grid size-7 place-items-center rounded-2 text-fg-2 hover:bg-raised hover:text-fg"
              >
                <X size={14} aria-hidden="true" />
              </Radix.Close>
            </header>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

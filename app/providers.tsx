"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { Toaster } from "sonner";
import { KeyBindings } from "@/components/frame/key-bindings";
import { ThemeKeeper } from "@/components/preferences/theme-keeper";
import { NowProvider } from "@/components/time/now";
import { makeQueryClient } from "@/lib/queries/query-client";

/** What every page stands on: one query client per page load, the URL, the server's clock, the keys, the toasts. */
export function Providers({ serverNow, children }: { serverNow: number; children: ReactNode }) {
  const [client] = useState(makeQueryClient);
  return (
    <QueryClientProvider client={client}>
      <ThemeKeeper />
      <NuqsAdapter>
        <NowProvider serverNow={serverNow}>
          <KeyBindings>{children}</KeyBindings>
        </NowProvider>
      </NuqsAdapter>
      <Toaster
        position="bottom-right"
        duration={4000}
        toastOptions={{
          style: {
            background: "var(--panel)",
            border: "1px solid var(--line-strong)",
            borderLeft: "3px solid var(--ok)",
            borderRadius: "var(--r-1)",
            color: "var(--text)",
            fontFamily: "var(--font)",
            boxShadow: "var(--shadow-pop)",
          },
        }}
      />
    </QueryClientProvider>
  );
}

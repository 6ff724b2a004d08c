import "./globals.css";
import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import { FrameNotices } from "@/components/frame/frame-notices";
import { Legend } from "@/components/frame/legend";
import { TopBar } from "@/components/frame/top-bar";
import { systemClock } from "@/lib/clock";
import { frameQuery } from "@/lib/queries/frame";
import { getFrame } from "@/lib/services/frame/get-frame";
import { HEADROOM_VERSION } from "@/lib/version";
import { Prefetched } from "./prefetch";
import { Providers } from "./providers";

export const metadata: Metadata = {
  title: { default: "Headroom", template: "%s · Headroom" },
  description: "How much room each control plane of a Kubernetes fleet has left.",
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    // The theme file sets data-theme before React sees the page.
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <head>
        <script src="/theme.js" nonce={nonce} />
      </head>
      <body>
        <Providers serverNow={systemClock.now()}>
          <a href="#main" className="absolute -top-12 left-2 z-50 rounded-1 bg-panel px-3 py-2 focus:top-1.5">
            Skip to content
          </a>
          <Prefetched queries={[{ queryKey: frameQuery().queryKey, read: getFrame }]}>
            <TopBar />
            <main
              id="main"
              tabIndex={-1}
              className="mx-auto grid max-w-[var(--page-max)] grid-cols-[minmax(0,1fr)] gap-[var(--gap)] px-[var(--page-pad)] pt-4 pb-6"
            >
              <FrameNotices />
              {children}
            </main>
          </Prefetched>
          <Legend version={HEADROOM_VERSION} />
        </Providers>
      </body>
    </html>
  );
}

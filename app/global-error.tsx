"use client";

import "./globals.css";

/** The frame itself broke: plain, without anything that could break again. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body className="p-6">
        <h1>Headroom could not draw this page</h1>
        <p className="mt-2 text-fg-2">Reload it. What was collected is in the store and is not lost.</p>
        <p className="mt-2 font-mono text-xs text-fg-3">
          frame-error{error.digest !== undefined && ` · request ${error.digest}`}
        </p>
      </body>
    </html>
  );
}

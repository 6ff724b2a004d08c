"use client";

import { useLayoutEffect } from "react";
import { applyTheme } from "./preferences";

/** Keeps the theme right after the first paint: in a document made anew, on a change of the system, in another tab. */
export function ThemeKeeper() {
  useLayoutEffect(() => {
    const light = window.matchMedia("(prefers-color-scheme: light)");
    applyTheme();
    light.addEventListener("change", applyTheme);
    window.addEventListener("storage", applyTheme);
    return () => {
      light.removeEventListener("change", applyTheme);
      window.removeEventListener("storage", applyTheme);
    };
  }, []);
  return null;
}

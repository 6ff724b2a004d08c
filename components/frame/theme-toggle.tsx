"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { setPreference, THEMES, type Theme, usePreferences } from "@/components/preferences/preferences";
import { Button } from "@/components/ui/button";
import { useKeyBinding } from "./key-bindings";

const ICONS = { system: Monitor, dark: Moon, light: Sun } as const;

/** Goes round system, dark, light; says which one is on and which comes next. */
export function ThemeToggle() {
  const { theme } = usePreferences();
  const next: Theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
  const Icon = ICONS[theme];
  const change = () => setPreference("theme", next);
  useKeyBinding("t", "Change the theme", change);
  return (
    <Button
      look="icon"
      onClick={change}
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme} (t)`}
    >
      <Icon size={15} aria-hidden="true" />
    </Button>
  );
}

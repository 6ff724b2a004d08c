"use client";

import { useId } from "react";
import { setPreference, THEMES, usePreferences } from "@/components/preferences/preferences";
import { ClockNow } from "@/components/time/instant";
import { Panel, PanelBody } from "@/components/ui/panel";
import { Segments } from "@/components/ui/segments";
import { SettingsFrame } from "./settings-frame";

const THEME_NAMES = { system: "System", dark: "Dark", light: "Light" } as const;

/** What this browser shows and listens to. Kept in its local storage; nothing is sent to the server. */
export function PreferencesPage() {
  const { theme, timeZone, hasLetterKeys } = usePreferences();
  const zoneId = useId();
  const keysId = useId();
  return (
    <SettingsFrame area="preferences" facts={<span>kept in this browser only</span>}>
      <Panel title="Preferences" className="max-w-[760px]">
        <PanelBody className="grid gap-4 pt-1">
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
            <span className="w-40 text-fg-2">Theme</span>
            <Segments
              label="Theme"
              value={theme}
              onChange={(value) => setPreference("theme", value)}
              options={THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))}
            />
          </div>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
            <label htmlFor={zoneId} className="w-40 text-fg-2">
              Time zone
            </label>
            <select
              id={zoneId}
              value={timeZone}
              onChange={(event) => setPreference("timeZone", event.target.value)}
              className="h-[var(--control-h)] rounded-2 border border-control bg-raised px-2"
            >
              {zonesWith(timeZone).map((zone) => (
                <option key={zone} value={zone}>
                  {zone}
                </option>
              ))}
            </select>
            <span className="text-s text-fg-3">
              <ClockNow />. Markdown and CSV stay in UTC.
            </span>
          </div>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
            <label htmlFor={keysId} className="w-40 text-fg-2">
              Single-letter keys
            </label>
            <input
              id={keysId}
              type="checkbox"
              checked={hasLetterKeys}
              onChange={(event) => setPreference("hasLetterKeys", event.target.checked)}
              className="size-4 accent-accent-fill"
            />
            <span className="text-s text-fg-3">
              j, k, c, t, / and the like. Arrows, Enter and Ctrl K work either way.
            </span>
          </div>
        </PanelBody>
      </Panel>
    </SettingsFrame>
  );
}

/** UTC first, then the browser's own zone, then all it knows; the chosen one is always among them. */
function zonesWith(chosen: string): readonly string[] {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [...new Set(["UTC", chosen, own, ...Intl.supportedValuesOf("timeZone")])];
}

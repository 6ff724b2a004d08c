import type { Metadata } from "next";
import { PreferencesPage } from "@/components/settings/preferences-page";

export const metadata: Metadata = { title: "Preferences, settings" };

export default function Page() {
  return <PreferencesPage />;
}

import type { Metadata } from "next";
import { asRuleRow } from "@/components/rules/rule-row";
import { RulesPage } from "@/components/rules/rules-page";
import { RULES } from "@/lib/domain/findings";

export const metadata: Metadata = { title: "Rules" };

/** The registry stays on the server: what a page needs of it is text. */
export default function Page() {
  return <RulesPage rules={RULES.map(asRuleRow)} />;
}

import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { RulePage } from "@/components/rules/rule-page";
import { asRuleRow } from "@/components/rules/rule-row";
import { areaOf, findRule, RULES, type Rule } from "@/lib/domain/findings";

interface Props {
  readonly params: Promise<{ name: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const rule = await readRule(params);
  return { title: rule === null ? "Not found" : rule.name };
}

export default async function Page({ params }: Props) {
  const rule = await readRule(params);
  if (rule === null) notFound();
  const neighbours = RULES.filter((each) => each !== rule && areaOf(each) === areaOf(rule));
  return <RulePage rule={asRuleRow(rule)} neighbours={neighbours.map(asRuleRow)} />;
}

/** Names come encoded; one that cannot be decoded names nothing. */
async function readRule(params: Props["params"]): Promise<Rule | null> {
  const { name } = await params;
  try {
    return findRule(decodeURIComponent(name));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

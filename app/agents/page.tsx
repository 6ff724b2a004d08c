import type { Metadata } from "next";
import { AgentsPage } from "@/components/agents/agents-page";
import { agentsQuery } from "@/lib/queries/agents";
import { getAgents } from "@/lib/services/agents/get-agents";
import { Prefetched } from "../prefetch";

export const metadata: Metadata = { title: "Agents" };

export default function Page() {
  return (
    <Prefetched queries={[{ queryKey: agentsQuery().queryKey, read: getAgents }]}>
      <AgentsPage />
    </Prefetched>
  );
}

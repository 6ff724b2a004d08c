import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { z } from "zod";
import { AgentPage } from "@/components/agents/agent-page";
import { AgentQuerySchema } from "@/lib/contracts/agent-pages";
import { agentQuery } from "@/lib/queries/agents";
import { getAgent } from "@/lib/services/agents/get-agent";
import { Prefetched } from "../../prefetch";

interface Props {
  readonly params: Promise<{ readonly agentId: string }>;
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** Ids are made of kind, namespace and name; anything longer is no agent. */
const AgentIdSchema = z.string().min(1).max(512);

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const agentId = await readAgentId(params);
  return { title: agentId === null ? "Not found" : agentId.slice(agentId.lastIndexOf("/") + 1) };
}

export default async function Page({ params, searchParams }: Props) {
  const agentId = await readAgentId(params);
  if (agentId === null) notFound();
  const wanted = AgentQuerySchema.safeParse(await searchParams);
  const query = wanted.success ? wanted.data : {};
  return (
    <Prefetched
      queries={[
        {
          queryKey: agentQuery(agentId, query.cluster ?? null).queryKey,
          read: (context) => getAgent(context, { agentId, query }),
        },
      ]}
    >
      <AgentPage agentId={agentId} />
    </Prefetched>
  );
}

/** The id as it stands in the path, decoded; `null` where it cannot be one. */
async function readAgentId(params: Props["params"]): Promise<string | null> {
  const { agentId } = await params;
  try {
    return AgentIdSchema.safeParse(decodeURIComponent(agentId)).data ?? null;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** The path of an agent's page, on a cluster where one is named. */
export function agentHref(agentId: string, clusterId?: string): string {
  const path = `/agents/${encodeURIComponent(agentId)}`;
  return clusterId === undefined ? path : `${path}?${new URLSearchParams({ cluster: clusterId })}`;
}

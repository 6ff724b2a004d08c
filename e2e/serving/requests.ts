import type { ServingInput } from "../../lib/domain/cost/index.ts";
import { EVENTS, PODS, type PodShape, type ServedCluster } from "./served-cluster.ts";
import type { CountedResource } from "./server-counters.ts";

/** One request. Names in braces in its query stand for what `ServedCluster.names` has for them. */
export interface ServingCase {
  readonly path: string;
  readonly query: string;
  readonly of: CountedResource;
  readonly accept?: string;
  /** What a person who asks knows beside the size of the collection. */
  readonly facts?: (cluster: ServedCluster) => Partial<ServingInput>;
  /** It is refused only after the objects were read. */
  readonly isReadFirst?: boolean;
}

const ALL = "/api/v1/pods";
const TEAM = "/api/v1/namespaces/team-0000/pods";
const AGENTS = "/api/v1/namespaces/agents/pods";
const ALL_EVENTS = "/api/v1/events";
const TEAM_EVENTS = "/api/v1/namespaces/team-0000/events";

const ofTeam = ({ metadata }: PodShape) => metadata.namespace === "team-0000";
const onNode = ({ spec }: PodShape) => spec.nodeName === "node-00003";
const ofService = ({ metadata }: PodShape) => metadata.labels?.app === "service-00000";
const count = ({ pods }: ServedCluster, matches: (pod: PodShape) => boolean) => pods.filter(matches).length;

const inTeam = (cluster: ServedCluster) => ({ namespaceObjects: count(cluster, ofTeam) });
const matching = (matches: (pod: PodShape) => boolean) => (cluster: ServedCluster) => ({
  matchingObjects: count(cluster, matches),
});
const matchingInTeam = (matches: (pod: PodShape) => boolean) => (cluster: ServedCluster) => ({
  ...inTeam(cluster),
  matchingObjects: count(cluster, (pod) => ofTeam(pod) && matches(pod)),
});
const oneMatches = () => ({ matchingObjects: 1 });
const future = () => ({ versionState: "future" as const });
const compacted = () => ({ versionState: "compacted" as const });
const since = ({ podChanges }: ServedCluster) => ({ changesSince: podChanges });

type Facts = ServingCase["facts"];
const pods = (path: string, query: string, facts?: Facts, accept?: string): ServingCase => ({
  path,
  query,
  of: PODS,
  ...(facts === undefined ? {} : { facts }),
  ...(accept === undefined ? {} : { accept }),
});
const events = (path: string, query: string, facts?: Facts): ServingCase => ({
  ...pods(path, query, facts),
  of: EVENTS,
});

const NODE = "fieldSelector=spec.nodeName=node-00003";
const SERVICE = "labelSelector=app=service-00000";
const NAME = "fieldSelector=metadata.name=log-agent-00003";
const EXACT = "resourceVersion={past}&resourceVersionMatch=Exact";
const NOT_OLDER = "resourceVersion={past}&resourceVersionMatch=NotOlderThan";

export const LISTS: readonly ServingCase[] = [
  pods(ALL, ""),
  pods(ALL, "limit=100"),
  pods(ALL, "limit=-5"),
  pods(ALL, "resourceVersion=0"),
  pods(ALL, "resourceVersion=0&limit=100"),
  pods(ALL, "resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=100"),
  pods(ALL, "resourceVersion={past}"),
  pods(ALL, "resourceVersion={past}&limit=100"),
  pods(ALL, NOT_OLDER),
  pods(ALL, `${NOT_OLDER}&limit=100`),
  pods(ALL, EXACT),
  pods(ALL, `${EXACT}&limit=100`),

  pods(ALL, "continue={held}"),
  pods(ALL, "continue={held}&limit=100"),
  pods(ALL, "continue={held}&limit=100&resourceVersion=0"),
  pods(ALL, `continue={held}&limit=10&${SERVICE}`, matching(ofService)),
  pods(ALL, "continue={latest}"),
  pods(ALL, "continue={latest}&limit=100"),

  pods(TEAM, "", inTeam),
  pods(TEAM, "limit=10", inTeam),
  pods(
    ALL,
    "fieldSelector=metadata.namespace=team-0000",
    matchingInTeam(() => true),
  ),
  pods(ALL, NODE, matching(onNode)),
  pods(ALL, `${NODE}&resourceVersion=0`, matching(onNode)),
  pods(ALL, `${NODE}&limit=10`, matching(onNode)),
  pods(ALL, `${NODE}&${EXACT}`, matching(onNode)),
  pods(ALL, `${NODE}&${EXACT}&limit=10`, matching(onNode)),
  pods(
    ALL,
    `${NODE}&${SERVICE}`,
    matching((pod) => onNode(pod) && ofService(pod)),
  ),
  pods(TEAM, NODE, matchingInTeam(onNode)),
  pods(ALL, SERVICE, matching(ofService)),
  pods(ALL, `${SERVICE}&limit=10`),

  pods(AGENTS, NAME, oneMatches),
  pods(AGENTS, `${NAME}&limit=1`, oneMatches),
  pods(AGENTS, `${NAME}&resourceVersion=0`, oneMatches),
  pods(AGENTS, `${NAME}&resourceVersion={past}&limit=5`, oneMatches),
  pods(AGENTS, `${NAME}&${EXACT}`, oneMatches),
  pods(AGENTS, "fieldSelector=metadata.name=nobody"),
  pods(ALL, NAME, oneMatches),
  pods(ALL, `${NAME},metadata.namespace=agents`, oneMatches),

  pods(ALL, "limit=100", undefined, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"),
  pods(ALL, "limit=100", undefined, "application/json;as=Table;g=meta.k8s.io;v=v1"),

  events(ALL_EVENTS, ""),
  events(ALL_EVENTS, "limit=5"),
  events(ALL_EVENTS, "resourceVersion=0"),
  events(ALL_EVENTS, "resourceVersion=0&limit=5"),
  events(ALL_EVENTS, "resourceVersion={past}"),
  events(ALL_EVENTS, `${NOT_OLDER}&limit=5`),
  events(ALL_EVENTS, EXACT),
  events(ALL_EVENTS, "fieldSelector=involvedObject.name=pod-1&limit=3", () => ({ matchingObjects: 6 })),
  events(TEAM_EVENTS, "resourceVersion=0", () => ({ namespaceObjects: 4 })),
  { ...events(ALL_EVENTS, "resourceVersion={future}", future), isReadFirst: true },
];

/** Nothing of these is counted, so that they may be asked all at once. */
export const REFUSED_LISTS: readonly ServingCase[] = [
  pods(ALL, "limit=abc"),
  pods(ALL, "limit="),
  pods(ALL, "fieldSelector=a"),
  pods(ALL, "labelSelector=(("),
  pods(ALL, "resourceVersion=abc"),
  pods(ALL, "resourceVersionMatch=Exact"),
  pods(ALL, "resourceVersion=0&resourceVersionMatch=Exact"),
  pods(ALL, "resourceVersion=5&resourceVersionMatch=Bogus"),
  pods(ALL, "sendInitialEvents=true"),
  pods(ALL, "continue={held}&resourceVersion={past}"),
  pods(ALL, "continue={held}&resourceVersion=0&resourceVersionMatch=NotOlderThan"),

  pods(ALL, "continue={lostToken}&limit=100", compacted),
  pods(ALL, "resourceVersion={lost}&resourceVersionMatch=Exact", compacted),
  pods(ALL, "resourceVersion={lost}&limit=100", compacted),
  events(ALL_EVENTS, "resourceVersion={lost}&resourceVersionMatch=Exact", compacted),
  pods(ALL, "resourceVersion={future}", future),
  pods(ALL, "resourceVersion={future}&resourceVersionMatch=Exact", future),
  events(ALL_EVENTS, "resourceVersion={future}&limit=5", future),
];

const INITIAL = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
const NO_INITIAL = "sendInitialEvents=false&resourceVersionMatch=NotOlderThan";

/** `watch=1` is part of each. */
export const WATCHES: readonly ServingCase[] = [
  pods(ALL, ""),
  pods(ALL, "resourceVersion=0"),
  pods(ALL, "resourceVersion=0&limit=5"),
  pods(ALL, "continue=x"),
  pods(TEAM, "resourceVersion=0", inTeam),
  pods(ALL, `resourceVersion=0&${NODE}`, matching(onNode)),
  pods(ALL, SERVICE, matching(ofService)),
  pods(AGENTS, NAME, oneMatches),
  pods(ALL, NAME, oneMatches),
  pods(AGENTS, "fieldSelector=metadata.name=nobody"),

  pods(ALL, "resourceVersion={past}", since),
  pods(TEAM, "resourceVersion={past}", since),
  pods(AGENTS, "resourceVersion={past}", since),

  pods(ALL, INITIAL),
  pods(ALL, `${INITIAL}&resourceVersion=0`),
  pods(ALL, `${INITIAL}&resourceVersion={past}`),
  pods(ALL, `${NO_INITIAL}&resourceVersion={past}`, since),

  events(ALL_EVENTS, ""),
  events(ALL_EVENTS, INITIAL),
  events(TEAM_EVENTS, "resourceVersion=0", () => ({ namespaceObjects: 4 })),
];

/** Nothing of these is counted, so that they may be asked all at once. */
export const QUIET_WATCHES: readonly ServingCase[] = [
  pods(ALL, "resourceVersion={future}", future),
  pods(ALL, NO_INITIAL),
  pods(ALL, `${NO_INITIAL}&resourceVersion=0`),
  events(ALL_EVENTS, "resourceVersion={past}", () => ({ changesSince: 0 })),

  pods(ALL, "resourceVersion={lost}", () => ({ isSnapshotHeld: false })),
  events(ALL_EVENTS, "resourceVersion={lost}", compacted),
  pods(ALL, `${INITIAL}&resourceVersion={future}`, future),
  events(ALL_EVENTS, `${INITIAL}&resourceVersion={future}`, future),
  pods(ALL, "sendInitialEvents=true"),
  pods(ALL, `${INITIAL}&continue=x`),
  pods(ALL, "resourceVersion={past}&resourceVersionMatch=NotOlderThan"),
  pods(ALL, "resourceVersion=abc"),
  pods(ALL, "limit=abc"),
];

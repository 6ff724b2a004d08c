import { assessLevel, REJECTION_WINDOW_SECONDS } from "../fairness/assess-level.ts";
import type { FairnessPart, LevelSample } from "../fairness/fairness-part.ts";
import type { PartValues } from "./part-values.ts";
import type { ServersPart } from "./servers-part.ts";

/** Findings kept per cluster. */
const FINDINGS_MAX = 8;

/** What the fleet table needs of a cluster, derived from its parts when they are stored. */
export interface ClusterSummary {
  readonly gitVersion: string | null;
  readonly nodes: number | null;
  readonly pods: number | null;
  readonly apiServers: number | null;
  readonly apiServersRead: number | null;
  /** The level with the highest seats ÷ current limit on the busiest API server. */
  readonly busiest: BusiestLevel | null;
  /** Assessment of each level on each server, worst first; at most 8. See `assessLevel` in lib/domain/fairness. */
  readonly fairnessFindings: readonly FairnessFinding[];
  /** Levels that rejected within the window of `assessLevel`, with the latest instant in milliseconds. */
  readonly recentRejections: readonly RecentRejection[];
}

export interface BusiestLevel {
  readonly serverId: string;
  readonly serverName: string;
  readonly priorityLevelName: string;
  readonly executingSeats: number;
  readonly currentLimitSeats: number;
}

export interface FairnessFinding {
  readonly severity: "error" | "warning";
  readonly serverName: string;
  readonly priorityLevelName: string;
  readonly text: string;
}

export interface RecentRejection {
  readonly serverId: string;
  readonly priorityLevelName: string;
  readonly at: number;
}

const NOTHING_KNOWN: ClusterSummary = {
  gitVersion: null,
  nodes: null,
  pods: null,
  apiServers: null,
  apiServersRead: null,
  busiest: null,
  fairnessFindings: [],
  recentRejections: [],
};

export interface SummaryInput {
  /** The summary before this pass; `null` for the first. */
  readonly previous: ClusterSummary | null;
  /** The parts that this pass read. A part that is absent keeps its figures. */
  readonly values: Partial<PartValues>;
  /** The latest servers, read now or before: names for the fairness figures. */
  readonly servers: ServersPart | null;
  /** Milliseconds since the epoch of this pass. */
  readonly at: number;
}

/** The summary after a pass. Each figure is the last one known; `null` means that it never was. */
export function summariseCluster({ previous, values, servers, at }: SummaryInput): ClusterSummary {
  const before = previous ?? NOTHING_KNOWN;
  const fairness =
    values.fairness === undefined ? before : { ...summariseFairness(values.fairness, servers, before, at) };
  return {
    ...before,
    ...fairness,
    gitVersion: values.version?.gitVersion ?? before.gitVersion,
    nodes: values.inventory?.nodes?.total ?? before.nodes,
    pods: values.inventory?.pods ?? before.pods,
    apiServers: values.servers ? countServers(values.servers) : before.apiServers,
    apiServersRead: values.servers ? countServersRead(values.servers) : before.apiServersRead,
  };
}

function countServers({ servers, expectedServers }: ServersPart): number {
  return Math.max(servers.length, expectedServers ?? 0);
}

function countServersRead({ servers }: ServersPart): number {
  return servers.filter(({ access }) => access !== "not-read").length;
}

interface ServerLevel {
  readonly serverId: string;
  readonly serverName: string;
  readonly level: LevelSample;
  readonly isExempt: boolean;
}

function summariseFairness(
  fairness: FairnessPart,
  servers: ServersPart | null,
  before: ClusterSummary,
  at: number,
): Pick<ClusterSummary, "busiest" | "fairnessFindings" | "recentRejections"> {
  const levels = listLevels(fairness, servers);
  const recentRejections = updateRejections(before.recentRejections, levels, at);
  const rejected = new Set(recentRejections.map(rejectionKey));
  const findings = levels.flatMap((each) => {
    const hasRejectedInWindow = rejected.has(
      rejectionKey({ serverId: each.serverId, priorityLevelName: each.level.priorityLevelName }),
    );
    const assessment = assessLevel({ ...each, hasRejectedInWindow });
    if (assessment === null || assessment.severity === "ok") return [];
    const { serverName, level } = each;
    const finding: FairnessFinding = {
      severity: assessment.severity,
      serverName,
      priorityLevelName: level.priorityLevelName,
      text: assessment.text,
    };
    return [{ finding, level }];
  });
  return {
    busiest: findBusiest(levels),
    fairnessFindings: findings
      .sort(compareHarm)
      .slice(0, FINDINGS_MAX)
      .map(({ finding }) => finding),
    recentRejections,
  };
}

function listLevels(fairness: FairnessPart, servers: ServersPart | null): readonly ServerLevel[] {
  const names = new Map(servers?.servers.map(({ id, name }) => [id, name]));
  const exempt = new Set(
    fairness.priorityLevels?.filter(({ type }) => type === "Exempt").map(({ name }) => name) ?? ["exempt"],
  );
  return fairness.servers.flatMap(({ serverId, levels }) =>
    levels.map((level) => ({
      serverId,
      serverName: names.get(serverId) ?? serverId,
      level,
      isExempt: exempt.has(level.priorityLevelName),
    })),
  );
}

/** Rejections seen now, and those seen before that are still within the window. Sorted by server, then level. */
function updateRejections(
  before: readonly RecentRejection[],
  levels: readonly ServerLevel[],
  at: number,
): readonly RecentRejection[] {
  const since = at - REJECTION_WINDOW_SECONDS * 1000;
  const latest = new Map(before.filter((one) => one.at > since).map((one) => [rejectionKey(one), one]));
  for (const { serverId, level, isExempt } of levels) {
    if (isExempt || level.rejectedPerSecond === null || level.rejectedPerSecond <= 0) continue;
    const rejection = { serverId, priorityLevelName: level.priorityLevelName, at };
    latest.set(rejectionKey(rejection), rejection);
  }
  return [...latest.entries()].sort(([a], [b]) => compareText(a, b)).map(([, rejection]) => rejection);
}

const rejectionKey = ({ serverId, priorityLevelName }: Omit<RecentRejection, "at">) =>
  `${serverId}\n${priorityLevelName}`;

function findBusiest(levels: readonly ServerLevel[]): BusiestLevel | null {
  let busiest: BusiestLevel | null = null;
  let busiestRatio = -1;
  for (const { serverId, serverName, level, isExempt } of levels) {
    const ratio = seatsRatio(level);
    if (isExempt || ratio === null || ratio <= busiestRatio) continue;
    busiestRatio = ratio;
    busiest = {
      serverId,
      serverName,
      priorityLevelName: level.priorityLevelName,
      executingSeats: level.executingSeats ?? 0,
      currentLimitSeats: level.currentLimitSeats ?? 0,
    };
  }
  return busiest;
}

/** Seats ÷ current limit; `null` where either is unknown or there is no limit to fill. */
function seatsRatio({ executingSeats, currentLimitSeats }: LevelSample): number | null {
  if (executingSeats === null || currentLimitSeats === null || currentLimitSeats <= 0) return null;
  return executingSeats / currentLimitSeats;
}

interface RankedFinding {
  readonly finding: FairnessFinding;
  readonly level: LevelSample;
}

/** Errors first, then the higher rate of rejections, the fuller level, the server, the level. */
function compareHarm(a: RankedFinding, b: RankedFinding): number {
  return (
    rank(a.finding) - rank(b.finding) ||
    (b.level.rejectedPerSecond ?? 0) - (a.level.rejectedPerSecond ?? 0) ||
    (seatsRatio(b.level) ?? 0) - (seatsRatio(a.level) ?? 0) ||
    compareText(a.finding.serverName, b.finding.serverName) ||
    compareText(a.finding.priorityLevelName, b.finding.priorityLevelName)
  );
}

const rank = ({ severity }: FairnessFinding) => (severity === "error" ? 0 : 1);

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

import type { FairnessLevelRow, FairnessResponse, FairnessServer, Server } from "../../contracts/cluster.ts";
import { listWords } from "../../domain/clusters/find-collection-findings.ts";
import { compareText } from "../../domain/clusters/finding.ts";
import { assessLevel } from "../../domain/fairness/assess-level.ts";
import type {
  FairnessPart,
  LevelSample,
  PriorityLevelObject,
  ServerFairness,
} from "../../domain/fairness/fairness-part.ts";
import { formatUtc } from "../clusters/describe-worst.ts";
import { type ClusterPage, loadClusterPage } from "../clusters/load-cluster-page.ts";
import { toPartReport } from "../clusters/part-report.ts";
import type { ServiceContext } from "../context.ts";
import {
  countRejections,
  type LevelKind,
  REJECTION_COUNT_SECONDS,
  type RejectionSeries,
} from "./count-rejections.ts";

/** More than samples there can be in the window, so that none are merged and each keeps its own duration. */
const WINDOW_POINTS = 4000;

/** Who may use how much now, and who is refused, per API server. @throws AppError `not-found` */
export async function getFairness(
  context: ServiceContext,
  { clusterId }: { readonly clusterId: string },
): Promise<FairnessResponse> {
  const page = await loadClusterPage(context, clusterId);
  const series = await loadRejections(context, clusterId, page.frame.now);
  const state = page.parts.fairness;
  const fairness = state?.value ?? null;
  return {
    frame: page.frame,
    header: page.header,
    notice: makeNotice(page),
    part: state === undefined ? null : toPartReport(state, page.frame.now),
    servers: listServers(page, fairness).map((server) => toServerRow(server, fairness, series)),
    busiestServerId: page.one.summary?.busiest?.serverId ?? null,
    priorityLevels: fairness?.priorityLevels?.map((each) => ({ ...each })) ?? null,
    flowSchemas:
      fairness?.flowSchemas?.map(
        ({
          name,
          matchingPrecedence,
          priorityLevelName,
          distinguisherMethod,
          isDangling,
          autoupdateSpec,
        }) => ({
          name,
          matchingPrecedence,
          priorityLevelName,
          distinguisherMethod,
          isDangling,
          autoupdateSpec,
        }),
      ) ?? null,
    configurationApiVersion: fairness?.configurationApiVersion ?? null,
    configurationReadAt: fairness?.configurationReadAt ?? null,
  };
}

async function loadRejections(
  context: ServiceContext,
  clusterId: string,
  now: number,
): Promise<RejectionSeries> {
  const toSeconds = Math.floor(now / 1000);
  const fromSeconds = toSeconds - REJECTION_COUNT_SECONDS;
  const range = { fromSeconds, toSeconds, maxPoints: WINDOW_POINTS };
  const [rejected, up] = await Promise.all([
    context.store.samples.query(clusterId, { metric: "rejected-per-second" }, range),
    context.store.samples.query(clusterId, { metric: "up" }, range),
  ]);
  return { rejected, up, fromSeconds, toSeconds };
}

/** Servers known, by name, and any that only the fairness figures know. */
function listServers(page: ClusterPage, fairness: FairnessPart | null): readonly Server[] {
  const known = new Set(page.servers.map((each) => each.id));
  const others = (fairness?.servers ?? [])
    .filter((each) => !known.has(each.serverId))
    .map(
      (each): Server => ({
        id: each.serverId,
        name: each.serverId,
        hostname: null,
        access: "shared-address",
        processStartAt: null,
        lastReadAt: each.observedAt,
        gitVersion: null,
      }),
    );
  return [...page.servers, ...others];
}

function toServerRow(server: Server, fairness: FairnessPart | null, series: RejectionSeries): FairnessServer {
  const figures = fairness?.servers.find((each) => each.serverId === server.id);
  if (figures === undefined) {
    return {
      server,
      observedAt: null,
      isEnabled: false,
      levels: [],
      flows: null,
      flowsObservedAt: null,
      rejectedPerSecond: null,
    };
  }
  const objects = new Map(fairness?.priorityLevels?.map((each) => [each.name, each]));
  return {
    server,
    observedAt: figures.observedAt,
    isEnabled: figures.isEnabled,
    levels: figures.levels
      .map((level) => toLevelRow(level, server, objects.get(level.priorityLevelName), series))
      .sort(compareLevels),
    flows:
      figures.flows?.map((flow) => ({
        priorityLevelName: flow.priorityLevelName,
        flowSchemaName: flow.flowSchemaName,
        flowDistinguisher: flow.flowDistinguisher,
        executingRequests: flow.executingRequests,
        executingSeats: flow.executingSeats,
        waitingRequests: flow.waitingRequests,
        queues: [...flow.queues],
        longestWaitSeconds: flow.longestWaitSeconds,
        requestKinds: [...flow.requestKinds],
      })) ?? null,
    flowsObservedAt: figures.flowsObservedAt,
    rejectedPerSecond: sumKnown(figures),
  };
}

/** Sum over the levels of one server; `null` where none is known. */
function sumKnown({ levels }: ServerFairness): number | null {
  const known = levels.flatMap((each) => (each.rejectedPerSecond === null ? [] : [each.rejectedPerSecond]));
  return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0);
}

function toLevelRow(
  level: LevelSample,
  server: Server,
  object: PriorityLevelObject | undefined,
  series: RejectionSeries,
): FairnessLevelRow {
  const kind = kindOf(level.priorityLevelName, object);
  const rejected = countRejections(series, server.id, level.priorityLevelName, kind);
  const assessment = assessLevel({
    level,
    serverName: server.name,
    isExempt: kind === "Exempt",
    hasRejectedInWindow: [rejected.queueFull, rejected.timeOut, rejected.concurrencyLimit].some(
      (each) => (each ?? 0) > 0,
    ),
  });
  return {
    priorityLevelName: level.priorityLevelName,
    type: kind === "unknown" ? null : kind === "Exempt" ? "Exempt" : "Limited",
    limitResponse: kind === "Queue" || kind === "Reject" ? kind : null,
    severity: assessment?.severity ?? "unknown",
    nominalSeats: level.nominalSeats,
    minSeats: level.minSeats,
    maxSeats: level.maxSeats,
    currentLimitSeats: level.currentLimitSeats,
    executingSeats: level.executingSeats,
    waitingRequests: level.waitingRequests,
    rejected,
    waitP99: level.waitP99 && { ...level.waitP99 },
  };
}

/**
 * What a level does at its limit. Where its object was not read, only the two mandatory levels are known: their
 * names and types are fixed. Source: apiserver pkg/apis/flowcontrol/bootstrap/default.go, v1.34.
 */
function kindOf(name: string, object: PriorityLevelObject | undefined): LevelKind {
  if (object?.type === "Exempt") return "Exempt";
  if (object !== undefined) return object.limitResponse ?? "unknown";
  if (name === "exempt") return "Exempt";
  return name === "catch-all" ? "Reject" : "unknown";
}

const SEVERITY_ORDER = ["error", "warning", "unknown", "ok", "info"];

/** Worst first; then most seats in use; levels without a limit last. */
function compareLevels(a: FairnessLevelRow, b: FairnessLevelRow): number {
  return (
    Number(a.type === "Exempt") - Number(b.type === "Exempt") ||
    SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) ||
    (b.executingSeats ?? -1) - (a.executingSeats ?? -1) ||
    compareText(a.priorityLevelName, b.priorityLevelName)
  );
}

/** The level that is worst off, on all servers on which it is; or the outage. */
function makeNotice({ one, header }: ClusterPage): FairnessResponse["notice"] {
  if (header.unreachableSince !== null) {
    return {
      severity: "unknown",
      lead: `${header.name} does not answer since ${formatUtc(header.unreachableSince)}.`,
      text:
        header.dataAt === null
          ? "Nothing was ever read of it: who uses which seats is not known."
          : "Figures are the last known good ones; who uses which seats now is not known.",
    };
  }
  const [worst] = one.fairness;
  if (worst === undefined) return null;
  const same = one.fairness.filter(
    (each) => each.priorityLevelName === worst.priorityLevelName && each.severity === worst.severity,
  );
  const servers = listWords(same.map((each) => each.serverName).sort(compareText), 4);
  const what = worst.severity === "error" ? "rejects requests" : "is crowded, or rejected requests lately,";
  return {
    severity: worst.severity,
    lead: `${worst.priorityLevelName} ${what} on ${servers}.`,
    text: `${same.map((each) => each.text).join("; ")}.`,
  };
}

import type { Clock } from "../../clock.ts";
import type { ReadFailure } from "../../domain/clusters/part.ts";
import type { FairnessPart, ServerFairness } from "../../domain/fairness/fairness-part.ts";
import {
  type ApiServerClient,
  FAIRNESS_DUMP_PATHS,
  parsePriorityLevelDump,
  parseRequestDump,
} from "../../kube/index.ts";
import type { ServerRates } from "../metrics/rates.ts";
import { findClockSkew } from "../metrics/read-metrics.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { PartRun } from "../pass/part-run.ts";
import { notMet } from "../pass/read-failure.ts";
import type { KnownConfiguration } from "../scrape-memory.ts";
import { decideFlows } from "./decide-flows.ts";
import { decideLevels, decideLevelsFromDump, decideServerFairness } from "./decide-levels.ts";
import type { DumpWay } from "./find-dump-way.ts";
import {
  flowControlApiVersions,
  parseFlowSchema,
  parsePriorityLevel,
  sortFlowSchemas,
} from "./parse-configuration.ts";

/** The configuration is read this often; it changes rarely, and every change takes effect at once anyway. */
const CONFIGURATION_PERIOD_MS = 120_000;
const DUMP_LIMITS = { headersSeconds: 10, totalSeconds: 15 };

/** One server as far as fairness goes. */
export interface FairnessServer {
  readonly serverId: string;
  readonly name: string;
  /** `null` where its page was not read. */
  readonly page: { readonly metrics: ServerMetrics; readonly rates: ServerRates } | null;
  readonly way: DumpWay;
}

export interface ReadFairnessInput {
  readonly run: PartRun;
  readonly client: ApiServerClient;
  readonly clock: Clock;
  readonly servers: readonly FairnessServer[];
  /** Those that could not be named included. */
  readonly totalServers: number;
  readonly minor: number | null;
  readonly configuration: KnownConfiguration | null;
}

export interface ReadFairnessResult {
  readonly value: FairnessPart | null;
  readonly configuration: KnownConfiguration | null;
  readonly answer: string;
}

export async function readFairness(input: ReadFairnessInput): Promise<ReadFairnessResult> {
  const { run, clock, servers, totalServers } = input;
  const configuration = await readConfigurationWhenDue(input);
  // Different servers are asked at once; each is asked one thing at a time.
  const read = await Promise.all(servers.map((server) => readServer(run, server, clock)));
  const fairness = read.filter((each): each is ServerFairness => each !== null);
  const hasConfiguration =
    configuration !== null && (configuration.flowSchemas !== null || configuration.priorityLevels !== null);
  const value: FairnessPart = {
    servers: fairness,
    priorityLevels: configuration?.priorityLevels ?? null,
    flowSchemas: configuration?.flowSchemas ?? null,
    configurationReadAt: hasConfiguration ? (configuration?.readAt ?? null) : null,
    configurationApiVersion: hasConfiguration ? (configuration?.apiVersion ?? null) : null,
  };
  const levels = Math.max(0, ...fairness.map((each) => each.levels.length));
  const of = `${fairness.length} of ${totalServers} ${totalServers === 1 ? "server" : "servers"}`;
  return {
    // A configuration kept from an earlier pass alone is not a reading of this one.
    value: fairness.length > 0 || (hasConfiguration && configuration !== input.configuration) ? value : null,
    configuration,
    answer: fairness.length === 0 ? `no figures: ${of} read` : `${levels} priority levels on ${of}`,
  };
}

async function readServer(
  run: PartRun,
  server: FairnessServer,
  clock: Clock,
): Promise<ServerFairness | null> {
  const { serverId, page, way } = server;
  if (page === null) {
    // Which connection leads to it is not known either, so only a way that needs none is left.
    const levels =
      way.client === null || way.connectionId !== null ? null : await readLevelDump(run, way.client, server);
    if (levels === null) return null;
    return decideServerFairness({
      serverId,
      observedAt: clock.now(),
      levels,
      flows: null,
      flowsObservedAt: null,
    });
  }
  const levels = decideLevels(page.metrics, page.rates);
  const base = { serverId, observedAt: page.metrics.readAt, levels };
  // Without APF the server has no such endpoint.
  if (levels.length === 0) return decideServerFairness({ ...base, flows: null, flowsObservedAt: null });
  const dump = await readRequestDump(run, server, clock);
  return decideServerFairness({
    ...base,
    flows: dump === null ? null : decideFlows(dump.rows, dump.serverNow).flows,
    flowsObservedAt: dump?.now ?? null,
  });
}

/** The requests of one server; `null` where they could not be read, or may be those of another one. */
async function readRequestDump(run: PartRun, { serverId, name, way }: FairnessServer, clock: Clock) {
  const what = `dump_requests of ${name}`;
  const { client } = way;
  if (client === null) {
    run.notRead.push({ what, serverId, failure: notMet(way.because) });
    return null;
  }
  const dump = await run.attempt(
    { what, path: FAIRNESS_DUMP_PATHS.requestsWithDetails, serverId },
    async () => {
      const { text, headers, connectionId } = await run
        .clientFrom(client)
        .getText(FAIRNESS_DUMP_PATHS.requestsWithDetails, { limits: DUMP_LIMITS });
      const now = clock.now();
      const { rows } = parseRequestDump(text);
      return { rows, serverNow: now + findClockSkew(headers, now), now, connectionId };
    },
  );
  if (dump === null || way.connectionId === null || dump.connectionId === way.connectionId) return dump;
  run.notRead.push({
    what,
    serverId,
    failure: notMet(
      `the connection to ${name} was closed after /metrics was read, and through the shared address another API server may have answered`,
    ),
  });
  return null;
}

/** Requests executing and waiting per level, for a server whose page could not be read. */
async function readLevelDump(run: PartRun, client: ApiServerClient, { serverId, name }: FairnessServer) {
  const rows = await run.attempt(
    { what: `dump_priority_levels of ${name}`, path: FAIRNESS_DUMP_PATHS.priorityLevels, serverId },
    async () => {
      const { text } = await run
        .clientFrom(client)
        .getText(FAIRNESS_DUMP_PATHS.priorityLevels, { limits: DUMP_LIMITS });
      return parsePriorityLevelDump(text).rows;
    },
  );
  return rows === null ? null : decideLevelsFromDump(rows);
}

async function readConfigurationWhenDue(input: ReadFairnessInput): Promise<KnownConfiguration | null> {
  const { configuration, clock } = input;
  const isFresh =
    configuration !== null &&
    configuration.flowSchemas !== null &&
    configuration.priorityLevels !== null &&
    clock.now() - configuration.readAt < CONFIGURATION_PERIOD_MS;
  return isFresh ? configuration : readConfiguration(input);
}

/** Tries the versions that this minor serves, newest first; a 404 goes on to the next. */
async function readConfiguration({
  run,
  client: base,
  clock,
  minor,
  configuration,
}: ReadFairnessInput): Promise<KnownConfiguration | null> {
  const client = run.clientFrom(base);
  const candidates = flowControlApiVersions(minor);
  let lastMissing: { path: string; failure: ReadFailure } | null = null;
  for (const apiVersion of candidates) {
    const levelsPath = `/apis/${apiVersion}/prioritylevelconfigurations`;
    const levels = await run.tryRead(levelsPath, () =>
      client.listAll(levelsPath, { parseItem: parsePriorityLevel }),
    );
    if (levels.failure?.reason === "not-found") {
      lastMissing = { path: levelsPath, failure: levels.failure };
      continue;
    }
    if (levels.failure !== null) {
      run.notRead.push({ what: "prioritylevelconfigurations", serverId: null, failure: levels.failure });
    }
    const schemasPath = `/apis/${apiVersion}/flowschemas`;
    const schemas = await run.attempt({ what: "flowschemas", path: schemasPath }, () =>
      client.listAll(schemasPath, { parseItem: parseFlowSchema }),
    );
    // What was read before stays until it is read again: a list that fails once is no configuration without it.
    const kept = configuration;
    if (levels.failure !== null && schemas === null) return kept;
    return {
      priorityLevels:
        levels.failure === null
          ? [...levels.value.items].sort((a, b) => (a.name < b.name ? -1 : 1))
          : (kept?.priorityLevels ?? null),
      flowSchemas: schemas === null ? (kept?.flowSchemas ?? null) : sortFlowSchemas(schemas.items),
      apiVersion,
      readAt: clock.now(),
    };
  }
  if (lastMissing !== null) {
    run.notRead.push({
      what: "prioritylevelconfigurations, flowschemas",
      serverId: null,
      failure: lastMissing.failure,
    });
  }
  return configuration;
}

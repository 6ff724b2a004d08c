import { type ListOptions, parseListOptions } from "../../kubernetes/list-options.ts";
import { splitRequestUri } from "../../kubernetes/query.ts";
import { parseRequest } from "../../kubernetes/request.ts";
import { keptText } from "../audit/kept-text.ts";
import { RequestStages } from "../audit/request-stages.ts";
import { type AuditEvent, type AuditObjectRef, elapsedSeconds } from "../audit-event.ts";
import { AgentLearning, type LearnRequest, type LearnShared } from "./agent-learning.ts";
import { describeLearned } from "./describe-learned.ts";
import type { LearnedAgents } from "./learned-agents.ts";
import { parseUserAgent, type UserAgentFacts } from "./parse-user-agent.ts";
import { FieldSelectorShapes } from "./read-selector.ts";

/** Bounds of what is told apart; what goes beyond is counted. */
export interface LearnLimits {
  readonly agents: number;
  /** Things read, and writes that may loop. */
  readonly reads: number;
  /** Copies, added up over agents and over what each reads. */
  readonly copies: number;
  readonly timedCopies: number;
  /** Of namespaces, nodes and objects. */
  readonly names: number;
  /** Requests that run long whose ends are known again: a power of two. */
  readonly longRequests: number;
}

export const DEFAULT_LEARN_LIMITS: LearnLimits = {
  agents: 5000,
  reads: 20_000,
  copies: 1_500_000,
  timedCopies: 200_000,
  names: 300_000,
  longRequests: 1 << 17,
};

const REMEMBERED_USER_AGENTS = 8192;
const REMEMBERED_USERS = 16_384;
const REMEMBERED_QUERIES = 4096;
/** Longer names of users are cut. */
const MAX_NAME_CHARACTERS = 512;
const NODE_USER = "system:node:";
/** All kubelets are one agent. */
const NODE_USERS = "system:node:*";

/**
 * Learns from an audit log, event by event, who reads what from the API server: `observe` each event in the order of the
 * log, then `finish`. A request counts once, whatever its stages (see `RequestStages`). An agent is a user with a kind of
 * user agent; all nodes are one user. Memory is bounded by `limits`, whatever the log holds; nothing of bodies, and of
 * queries only selectors, is kept.
 */
export class AgentLearner {
  readonly #limits: LearnLimits;
  readonly #stages: RequestStages;
  readonly #shared: LearnShared;
  readonly #agents = new Map<string, Map<string, AgentLearning>>();
  /** Users as events name them, to what is known of them. */
  readonly #users = new Map<string, Map<string, AgentLearning>>();
  readonly #userAgents = new Map<string, UserAgentFacts>();
  readonly #listOptions = new Map<string, ListOptions>();
  #agentCount = 0;
  #requests = 0;
  #otherEvents = 0;
  #beyondAgents = 0;
  #firstAt: number | null = null;
  #lastAt: number | null = null;

  constructor(limits: Partial<LearnLimits> = {}) {
    this.#limits = { ...DEFAULT_LEARN_LIMITS, ...limits };
    this.#stages = new RequestStages(this.#limits.longRequests);
    this.#shared = {
      budget: {
        copies: this.#limits.copies,
        timedCopies: this.#limits.timedCopies,
        names: this.#limits.names,
      },
      selectors: new FieldSelectorShapes(),
      shapesLeft: this.#limits.reads,
      beyondShapes: 0,
    };
  }

  observe(event: AuditEvent): void {
    const at = instantOf(event.receivedAt ?? event.stageAt);
    this.#widen(at);
    this.#widen(instantOf(event.stageAt));
    if (this.#stages.roleOf(event) !== "counted") {
      this.#otherEvents++;
      return;
    }
    this.#requests++;
    const agent = this.#agentOf(event);
    if (agent === null) this.#beyondAgents++;
    else agent.observe(this.#requestOf(event, at));
  }

  /** What was learned so far; learning may go on. `source`: for people, as evidence names it: `audit log audit.jsonl`. */
  finish(source: string): LearnedAgents {
    const range = { firstAt: this.#firstAt, lastAt: this.#lastAt };
    const agents = [...this.#agents.values()].flatMap((byUserAgent) => [...byUserAgent.values()]);
    return {
      ...range,
      agents: describeLearned(agents, { source, ...range }),
      requests: this.#requests,
      otherEvents: this.#otherEvents,
      beyond: { agentRequests: this.#beyondAgents, readRequests: this.#shared.beyondShapes },
    };
  }

  #requestOf(event: AuditEvent, at: number | null): LearnRequest {
    const elapsed = event.stage === "ResponseStarted" ? null : elapsedSeconds(event);
    const answered = elapsed !== null && elapsed >= 0 ? elapsed : null;
    const { verb, objectRef } = event;
    if (objectRef !== null && objectRef.resource !== "") {
      const options =
        verb === "list" || verb === "watch"
          ? this.#options(verb, splitRequestUri(event.requestUri).query)
          : null;
      return { event, at, elapsedSeconds: answered, verb, ref: objectRef, options };
    }
    return { event, at, elapsedSeconds: answered, ...readPath(event) };
  }

  /** LISTs are sent alike over and over; of WATCHes each has its own version and time. */
  #options(verb: "list" | "watch", query: string): ListOptions {
    if (verb === "watch" || query.length > MAX_NAME_CHARACTERS) return parseListOptions(query);
    const known = this.#listOptions.get(query);
    if (known !== undefined) return known;
    const options = parseListOptions(query);
    if (this.#listOptions.size >= REMEMBERED_QUERIES) this.#listOptions.clear();
    this.#listOptions.set(query, options);
    return options;
  }

  #widen(at: number | null): void {
    if (at === null) return;
    if (this.#firstAt === null || at < this.#firstAt) this.#firstAt = at;
    if (this.#lastAt === null || at > this.#lastAt) this.#lastAt = at;
  }

  /** `null`: one more than can be told apart. */
  #agentOf({ userName: sentName, userAgent }: AuditEvent): AgentLearning | null {
    const userName =
      sentName.length > MAX_NAME_CHARACTERS ? keptText(sentName, MAX_NAME_CHARACTERS) : sentName;
    const byFamily = this.#agentsOfUser(userName);
    const facts = this.#factsOf(userAgent);
    const known = byFamily.get(facts.family);
    if (known !== undefined) return known;
    if (this.#agentCount >= this.#limits.agents) return null;
    this.#agentCount++;
    const learning = new AgentLearning(
      userName.startsWith(NODE_USER) ? NODE_USERS : userName,
      facts,
      this.#shared,
    );
    byFamily.set(facts.family, learning);
    return learning;
  }

  #agentsOfUser(userName: string): Map<string, AgentLearning> {
    const known = this.#users.get(userName);
    if (known !== undefined) return known;
    const key = userName.startsWith(NODE_USER) ? NODE_USERS : userName;
    let byFamily = this.#agents.get(key);
    if (byFamily === undefined) {
      byFamily = new Map();
      // Past the bound no user can have an agent any more: an empty map need not be kept for it.
      if (this.#agentCount < this.#limits.agents) this.#agents.set(key, byFamily);
    }
    if (this.#users.size >= REMEMBERED_USERS) this.#users.clear();
    this.#users.set(userName, byFamily);
    return byFamily;
  }

  #factsOf(sent: string): UserAgentFacts {
    const userAgent = sent.length > MAX_NAME_CHARACTERS ? keptText(sent, MAX_NAME_CHARACTERS) : sent;
    const known = this.#userAgents.get(userAgent);
    if (known !== undefined) return known;
    const facts = parseUserAgent(userAgent);
    if (this.#userAgents.size >= REMEMBERED_USER_AGENTS) this.#userAgents.clear();
    this.#userAgents.set(userAgent, facts);
    return facts;
  }
}

/** Times before 1970 are no times; Go writes the year 1 for none. */
const instantOf = (at: number | null): number | null => (at !== null && at > 0 ? at : null);

/** Logs of older servers leave out what a LIST is about. */
function readPath({ requestUri, verb }: AuditEvent): Pick<LearnRequest, "verb" | "ref" | "options"> {
  const isRead = verb === "get" || verb === "list" || verb === "watch";
  const { path, query } = splitRequestUri(requestUri);
  const info = isRead ? parseRequest("GET", path, query) : null;
  if (info === null || !info.isResourceRequest || info.error !== null)
    return { verb, ref: null, options: null };
  return { verb: info.verb, ref: refOf(info), options: info.options };
}

function refOf({
  apiGroup,
  apiVersion,
  resource,
  subresource,
  namespace,
  name,
}: AuditObjectRef): AuditObjectRef {
  return { apiGroup, apiVersion, resource, subresource, namespace, name };
}

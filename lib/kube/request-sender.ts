import { ApiServerError, type ApiServerErrorFields, type ReadVerb } from "./api-server-error.ts";
import { BodyError } from "./body-error.ts";
import { BudgetDeniedError, type BudgetPermit, type ClusterBudget } from "./budget.ts";
import type { ConnectionId, CostMeter, ReadOptions, RequestCost, RequestLimits } from "./client-types.ts";
import type { KubeClock } from "./clock.ts";
import { addCosts, NO_COST } from "./cost.ts";
import type { Credential, Credentials } from "./credentials.ts";
import { Certificates, type Connections, openConnections, type ServerAddress } from "./dispatcher.ts";
import { Exchange } from "./exchange.ts";
import { CredentialError } from "./exec-plugin.ts";
import { type Failure, StopReadingError, toFailure } from "./failure.ts";
import { findGuardViolation, type GuardCapabilities } from "./guard.ts";
import type { ClusterEntry } from "./kubeconfig-types.ts";
import { excerpt, redact } from "./redact.ts";
import { shownPath, withQuery } from "./request-path.ts";
import { ResponseSizes } from "./response-sizes.ts";
import { decideRetry } from "./retry.ts";
import { describeStatus } from "./status-error.ts";
import { USER_AGENT } from "./user-agent.ts";

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: RequestLimits = {
  headersSeconds: 30,
  totalSeconds: 60,
  wireBytes: 64 * MIB,
  decodedBytes: 1024 * MIB,
};
/** Of the body of an error, this much is looked at. */
const ERROR_BODY_BYTES = 64 * 1024;

/** One read, as the readers of this folder ask for it. */
export interface ReadRequest extends ReadOptions {
  readonly verb: ReadVerb;
  readonly path: string;
}

/** An answer whose headers are there. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly connectionId: ConnectionId | null;
  /**
   * Reads the body by `read`, and closes whatever happens. Errors of every layer, and `BodyError` of `read`, become
   * `ApiServerError`; other errors of `read` pass.
   */
  readonly read: <T>(read: (body: AsyncIterable<Buffer>) => Promise<T>) => Promise<T>;
  /** The body for a generator, which calls `close` in the end. Its errors are `ApiServerError`. */
  readonly body: AsyncIterable<Buffer>;
  readonly close: () => void;
  /** The error that a finding about the body amounts to. */
  readonly fail: (error: BodyError) => ApiServerError;
  /** Of this request, attempts before it included; final once it is closed. */
  readonly cost: () => RequestCost;
}

/** Sends one read of one client. */
export type Reader = (request: ReadRequest) => Promise<OpenResponse>;

/** Where and within what a client reads. */
export interface SenderScope {
  readonly address: ServerAddress;
  readonly signals: readonly AbortSignal[];
  /** Milliseconds since the epoch; Infinity for none. */
  readonly deadlineAt: number;
  readonly meters: readonly CostMeter[];
}

/** What a {@link RequestSender} is made of. */
export interface RequestSenderOptions {
  readonly cluster: string;
  readonly entry: ClusterEntry;
  readonly credentials: Credentials;
  readonly budget: ClusterBudget;
  readonly clock: KubeClock;
  readonly random: () => number;
  readonly capabilities: GuardCapabilities;
}

/**
 * The one place from which requests leave: guard rails, budget, credentials, limits, retries, errors and costs. Shared
 * by all clients of one cluster, with one set of connections per address.
 */
export class RequestSender {
  readonly cluster: string;
  readonly clock: KubeClock;
  readonly #options: RequestSenderOptions;
  readonly #sizes = new ResponseSizes();
  readonly #open = new Map<
    string,
    { readonly certificates: Certificates; readonly connections: Connections }
  >();
  #certificates: Certificates | null = null;
  readonly #closing = new AbortController();

  constructor(options: RequestSenderOptions) {
    this.cluster = options.cluster;
    this.clock = options.clock;
    this.#options = options;
  }

  /** Sends the request, again where that is worth it, until headers of a success are there. */
  async open(scope: SenderScope, request: ReadRequest): Promise<OpenResponse> {
    const path = withQuery(request.path, request.query);
    const violation = findGuardViolation(path, this.#options.capabilities);
    const context: RequestContext = { scope, request, path, spent: [], shortBytes: null };
    if (violation !== null)
      throw this.#error(context, null, new StopReadingError("refused", violation).failure);
    const signal = AbortSignal.any([
      ...scope.signals,
      ...(request.signal === undefined ? [] : [request.signal]),
      this.#closing.signal,
    ]);
    for (let attempts = 1; ; attempts++) {
      const outcome = await this.#attempt(context, signal);
      if ("response" in outcome) return outcome.response;
      const { error, wasReset } = outcome;
      const { reason, status, retryAfterSeconds } = error;
      const decision = decideRetry({
        reason,
        status,
        retryAfterSeconds,
        wasReset,
        hasDelivered: false,
        attempts,
        random: this.#options.random(),
      });
      if (!decision.retry) throw error;
      const delayMs = decision.delaySeconds * 1000;
      if (this.clock.now() + delayMs >= scope.deadlineAt) throw error;
      try {
        await this.clock.sleep(delayMs, signal);
      } catch {
        throw this.#error(context, null, ABORTED);
      }
    }
  }

  /** Closes the connections of this address when what is under way on them is over; the next read opens others. */
  async renew(address: ServerAddress): Promise<void> {
    const id = connectionsId(address);
    const known = this.#open.get(id);
    this.#open.delete(id);
    await known?.connections.dispatcher.close();
  }

  /** Ends all connections and what is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#options.credentials.close();
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map(({ connections }) => connections.dispatcher.destroy()));
  }

  async #attempt(context: RequestContext, signal: AbortSignal): Promise<AttemptOutcome> {
    const { scope, path } = context;
    const { clock } = this;
    const credential = await this.#credential(context, signal);
    const connections = this.#connections(context, credential);
    const permit = await this.#reserve(context, signal);
    const { exchange, headers } = Exchange.start({
      connections,
      origin: scope.address.origin,
      path: `${scope.address.basePath}${path}`,
      headers: this.#headers(context.request, credential),
      limits: { ...DEFAULT_LIMITS, ...context.request.limits },
      leftMs: scope.deadlineAt - clock.now(),
      signal,
      permit,
      now: () => clock.now(),
    });
    const close = this.#closer(context, exchange, permit);
    try {
      await headers;
    } catch (error) {
      const failure = toFailure(error, exchange.status === 0 ? "before-headers" : "body");
      noteShortfall(context, failure);
      close();
      return { error: this.#error(context, exchange.status || null, failure), wasReset: failure.wasReset };
    }
    const { status } = exchange;
    if ((status >= 200 && status < 300) || status === 304 || context.request.alsoAccept?.includes(status)) {
      return { response: this.#response(context, exchange, close) };
    }
    const text = status < 400 ? "" : await readBeginning(exchange);
    close();
    if (status === 401) this.#options.credentials.invalidate();
    const now = clock.now();
    const { reason, detail, retryAfterSeconds } = describeStatus(status, exchange.headers, text, now);
    const retryAt = retryAfterSeconds === null ? null : now + retryAfterSeconds * 1000;
    if (retryAt !== null && (status === 429 || status === 503))
      this.#options.budget.holdServer(serverKey(scope), retryAt);
    return {
      error: this.#error(context, status, { reason, detail, code: null }, { retryAfterSeconds, retryAt }),
      wasReset: false,
    };
  }

  #response(context: RequestContext, exchange: Exchange, close: () => void): OpenResponse {
    const fail = (error: unknown): ApiServerError => {
      const failure = toFailure(error, "body");
      noteShortfall(context, failure);
      return this.#error(context, exchange.status, failure);
    };
    const body = mapErrors(exchange.body(), fail);
    return {
      status: exchange.status,
      headers: exchange.headers,
      connectionId: exchange.connectionId,
      body,
      close,
      fail,
      cost: () => context.spent.reduce(addCosts, NO_COST),
      read: async (read) => {
        try {
          return await read(body);
        } catch (error) {
          throw error instanceof BodyError ? fail(error) : error;
        } finally {
          close();
        }
      },
    };
  }

  /** Releases everything an attempt holds, once, and books what it cost. */
  #closer(context: RequestContext, exchange: Exchange, permit: BudgetPermit): () => void {
    let isClosed = false;
    return () => {
      if (isClosed) return;
      isClosed = true;
      exchange.close();
      permit.release();
      const { cost } = exchange;
      context.spent.push(cost);
      for (const meter of context.scope.meters) meter.add(cost, { path: context.path });
      const bytes = context.shortBytes ?? cost.wireBytes;
      this.#sizes.remember(context.scope.address.server, context.path, bytes, this.clock.now());
    };
  }

  async #credential(context: RequestContext, signal: AbortSignal): Promise<Credential> {
    const leftMs = context.scope.deadlineAt - this.clock.now();
    try {
      return await within(this.#options.credentials.get(), this.clock, leftMs, signal);
    } catch (error) {
      if (signal.aborted) throw this.#error(context, null, ABORTED);
      if (!(error instanceof CredentialError)) throw error;
      throw this.#error(context, null, { reason: "credentials", detail: error.message, code: null });
    }
  }

  #connections(context: RequestContext, credential: Credential): Connections {
    const { address } = context.scope;
    const id = connectionsId(address);
    const known = this.#open.get(id);
    try {
      if (this.#certificates?.areOf(credential) !== true) this.#certificates = new Certificates(credential);
      const certificates = this.#certificates;
      if (known?.certificates === certificates) return known.connections;
      const connections = openConnections(this.#options.entry, address, certificates);
      this.#open.set(id, { certificates, connections });
      // Requests under way finish on the old connections.
      known?.connections.dispatcher.close().catch(() => undefined);
      return connections;
    } catch (error) {
      throw this.#error(context, null, toFailure(error, "before-headers"));
    }
  }

  async #reserve(context: RequestContext, signal: AbortSignal): Promise<BudgetPermit> {
    const { scope, path } = context;
    try {
      return await this.#options.budget.reserve({
        server: serverKey(scope),
        expectedBytes: this.#sizes.expect(scope.address.server, path, this.clock.now()),
        signal,
        ...(Number.isFinite(scope.deadlineAt) ? { deadlineAt: scope.deadlineAt } : {}),
      });
    } catch (error) {
      if (!(error instanceof BudgetDeniedError)) throw this.#error(context, null, ABORTED);
      const { reason, message, shortfall, retryAt } = error;
      const retryAfterSeconds =
        retryAt === null ? null : Math.max(0, Math.ceil((retryAt - this.clock.now()) / 1000));
      throw this.#error(
        context,
        null,
        { reason, detail: message, code: null },
        { retryAfterSeconds, retryAt, budget: shortfall },
      );
    }
  }

  #headers(request: ReadRequest, credential: Credential): Record<string, string | string[]> {
    return {
      ...credential.headers,
      accept: request.accept ?? "application/json",
      "accept-encoding": this.#options.entry.disableCompression ? "identity" : "gzip",
      "user-agent": USER_AGENT,
      ...(request.ifNoneMatch === undefined ? {} : { "if-none-match": request.ifNoneMatch }),
    };
  }

  #error(
    context: RequestContext,
    status: number | null,
    failure: Pick<Failure, "reason" | "detail" | "code" | "budget">,
    more: Partial<Pick<ApiServerErrorFields, "retryAfterSeconds" | "retryAt" | "budget">> = {},
  ): ApiServerError {
    const secrets = this.#options.credentials.secrets();
    return new ApiServerError({
      cluster: this.cluster,
      server: context.scope.address.server,
      verb: context.request.verb,
      path: redact(shownPath(context.path), secrets),
      status,
      reason: failure.reason,
      detail: excerpt(failure.detail, secrets),
      code: failure.code,
      budget: failure.budget ?? null,
      ...more,
    });
  }
}

interface RequestContext {
  readonly scope: SenderScope;
  readonly request: ReadRequest;
  readonly path: string;
  /** Costs of the attempts that are over. */
  readonly spent: RequestCost[];
  /** Bytes that the answer has at least, where the budget stopped it. */
  shortBytes: number | null;
}

type AttemptOutcome =
  | { readonly response: OpenResponse }
  | { readonly error: ApiServerError; readonly wasReset: boolean };

const ABORTED: Failure = { reason: "aborted", detail: "the read was given up", code: null, wasReset: false };

/** Equal ids share connections, as far as their certificates agree. */
function connectionsId({ origin, isDirect, serverName, connection }: ServerAddress): string {
  return JSON.stringify([origin, isDirect, serverName, connection]);
}

/** The shared address may lead to any server, unless one connection of it is known to lead to one. */
function serverKey({ address }: SenderScope): string | null {
  if (address.isDirect) return address.server;
  return address.isOneServer ? `${address.server} by ${address.connection}` : null;
}

/** Next time the request waits for the whole budget; where even that is too little, it is not begun. */
function noteShortfall(context: RequestContext, { budget }: Failure): void {
  if (budget?.setting === "bytesPerMinute") context.shortBytes = budget.neededAtLeast ?? budget.current;
}

async function* mapErrors(
  body: AsyncIterable<Buffer>,
  map: (error: unknown) => ApiServerError,
): AsyncGenerator<Buffer, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      let next: IteratorResult<Buffer>;
      try {
        next = await chunks.next();
      } catch (error) {
        throw map(error);
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

/** The beginning of the body of an error; empty where it cannot be read: the status says enough. */
async function readBeginning(exchange: Exchange): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of exchange.body()) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ERROR_BODY_BYTES) break;
    }
  } catch {
    return "";
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The promise, unless the signal is aborted or the time is over before. */
async function within<T>(
  promise: Promise<T>,
  clock: KubeClock,
  leftMs: number,
  signal: AbortSignal,
): Promise<T> {
  const over = new AbortController();
  const never = Number.isFinite(leftMs) ? leftMs : 2 ** 31 - 1;
  const timeOut = clock.sleep(never, AbortSignal.any([signal, over.signal])).then(() => {
    throw new CredentialError("no credential could be obtained in the time that was left");
  });
  promise.catch(() => undefined); // Nobody waits for it any more once the time is over.
  timeOut.catch(() => undefined);
  try {
    return await Promise.race([promise, timeOut]);
  } finally {
    over.abort();
  }
}

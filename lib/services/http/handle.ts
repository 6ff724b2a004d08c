import type { z } from "zod";
import { createLogger } from "../../logger.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { getServiceContext, type ServiceContext } from "../context.ts";
import { matchesEntityTag, weakEntityTag } from "./entity-tag.ts";
import { type Operation, operationId } from "./operations.ts";
import { InvalidRequest, makeRequestId, toProblem } from "./problem.ts";
import { readJsonBody } from "./read-json-body.ts";
import { requestMetrics } from "./request-metrics.ts";
import { RequestRefused } from "./request-refused.ts";
import { assertOwnHost, assertSameOrigin } from "./same-origin.ts";

/** What the service of an operation gets, parsed. */
export interface OperationInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

/** A route handler as Next calls it; `params` of a path without any is absent. */
export type RouteHandler = (
  request: Request,
  route?: { readonly params: Promise<Readonly<Record<string, string | string[] | undefined>>> },
) => Promise<Response>;

/**
 * The route handler of an operation: checks host and origin, parses what comes in, calls the service, checks what goes
 * out, tags it, counts and logs. Every failure becomes a problem document with the request's id.
 */
export function handle<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  operation: Operation<P, Q, B, R>,
  service: (context: ServiceContext, input: OperationInput<P, Q, B>) => Promise<z.input<R>>,
  /** Refuses a request before its body is read. */
  admit: (context: ServiceContext, headers: Headers) => Promise<void> = async () => undefined,
): RouteHandler {
  const id = operationId(operation);
  return async (request, route) => {
    const requestId = makeRequestId();
    const startedAt = performance.now();
    let context: ServiceContext | null = null;
    let response: Response;
    let failure: unknown;
    try {
      context = await getServiceContext();
      assertOwnHost(request, context.config.server);
      assertSameOrigin(request, context.config.server);
      await admit(context, request.headers);
      const input = await parseInput(operation, request, (await route?.params) ?? {});
      const result = operation.response.parse(await service(context, input));
      response = answer(request, result, operation.isPolled);
    } catch (error) {
      failure = error;
      const problem = toProblem(error, requestId);
      response = Response.json(problem, {
        status: problem.status,
        headers: {
          "content-type": "application/problem+json",
          "cache-control": "no-store",
          ...(problem.status === 503 ? { "retry-after": "5" } : {}),
          ...(error instanceof RequestRefused ? error.headers : {}),
        },
      });
    }
    response.headers.set("x-request-id", requestId);
    record(context, id, { requestId, response, failure, startedAt });
    return response;
  };
}

async function parseInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  operation: Operation<P, Q, B>,
  request: Request,
  params: Readonly<Record<string, unknown>>,
): Promise<OperationInput<P, Q, B>> {
  const search = Object.fromEntries(new URL(request.url).searchParams);
  const body = operation.method === "GET" ? undefined : await readJsonBody(request, operation.maxBodyBytes);
  return {
    params: parsePart("path", operation.params, params),
    query: parsePart("query", operation.query, search),
    body: parsePart("body", operation.body, body),
  };
}

function parsePart<S extends z.ZodType>(
  part: "path" | "query" | "body",
  schema: S,
  value: unknown,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(part, parsed.error);
}

/**
 * What is polled may be kept by the browser, which must ask each time whether it still holds; the rest is kept nowhere.
 * The Date header tells when an unchanged body was confirmed.
 */
function answer(request: Request, result: unknown, isPolled: boolean): Response {
  if (!isPolled) return Response.json(result, { headers: { "cache-control": "no-store" } });
  const tag = weakEntityTag(result, HEADROOM_VERSION);
  const headers = { etag: tag, "cache-control": "private, no-cache", date: new Date().toUTCString() };
  if (matchesEntityTag(request.headers.get("if-none-match"), tag)) {
    return new Response(null, { status: 304, headers });
  }
  return Response.json(result, { headers });
}

interface Handled {
  readonly requestId: string;
  readonly response: Response;
  readonly failure: unknown;
  readonly startedAt: number;
}

function record(context: ServiceContext | null, id: string, handled: Handled): void {
  const { status } = handled.response;
  const durationSeconds = (performance.now() - handled.startedAt) / 1000;
  const { requests, seconds } = requestMetrics();
  requests.inc({ operation: id, status: String(status) });
  seconds.observe({ operation: id }, durationSeconds);
  const fields = { requestId: handled.requestId, operation: id, status, durationSeconds };
  const logger = context?.logger ?? createLogger("web");
  if (status >= 500) logger.error("request failed", { ...fields, err: handled.failure });
  else if (status >= 400) logger.info("request refused", { ...fields, err: handled.failure });
  else logger.debug("request answered", fields);
}

import { resolvePath } from "../../config/load-config.ts";
import type { ConnectionTestRequest, ConnectionTestResponse } from "../../contracts/settings.ts";
import type { ConnectionTest } from "../../db/store.ts";
import { AppError } from "../../errors.ts";
import type { ServiceContext } from "../context.ts";
import { describeCollector } from "../frame/describe-collector.ts";
import { toPermissionChecks } from "./permission-checks.ts";

/** Asks the collector to try a connection. Answered within 10 s, else `timed-out`; `no-collector` where none runs. */
export async function requestConnectionTest(
  context: ServiceContext,
  request: ConnectionTestRequest,
): Promise<ConnectionTestResponse> {
  const path = resolvePath(context.config.workingDirectory, request.kubeconfigPath);
  const test = await context.store.connectionTests.request(path, request.context, context.clock.now());
  return toResponse(context, test);
}

/** @throws AppError `not-found` */
export async function getConnectionTest(
  context: ServiceContext,
  { testId }: { readonly testId: string },
): Promise<ConnectionTestResponse> {
  const test = await context.store.connectionTests.get(testId, context.clock.now());
  if (test === null) {
    throw new AppError("not-found", "No connection test has this id. Tests are kept for a short time only.");
  }
  return toResponse(context, test);
}

async function toResponse(context: ServiceContext, test: ConnectionTest): Promise<ConnectionTestResponse> {
  const isOpen = test.state === "waiting" || test.state === "running";
  const isAlone = isOpen && !(await isCollectorThere(context));
  const { result } = test;
  return {
    id: test.id,
    kubeconfigPath: test.kubeconfigPath,
    context: test.context,
    state: isAlone ? "no-collector" : test.state,
    requestedAt: test.requestedAt,
    answeredAt: test.answeredAt,
    result: result && {
      error: result.error,
      gitVersion: result.gitVersion,
      clusterUid: result.clusterUid,
      knownClusterId: result.knownClusterId,
      contexts: [...result.contexts],
      permissions: toPermissionChecks(result.permissions),
      isInsecure: result.isInsecure,
    },
  };
}

/** A collector that is only starting or being restarted will answer: then the test waits. */
async function isCollectorThere(context: ServiceContext): Promise<boolean> {
  const { state } = describeCollector({
    supervision: context.readSupervision(),
    stored: await context.store.collector.get(),
    now: context.clock.now(),
  });
  return state === "running" || state === "starting" || state === "restarting";
}

import type { AssumedDemand } from "../../fairness/limits/limits-controller.ts";
import type { RejectionReason } from "../../fairness/queueset/rejection-reason.ts";
import type { RuleVersion } from "../../kubernetes/version.ts";
import type { Tick } from "../../rollout/ticks.ts";
import type { StormCluster, StormServer } from "../storm-input.ts";
import type { StormModel } from "../storm-model.ts";
import type { ApiServer } from "./api-server.ts";
import type { StormRequest } from "./storm-request.ts";

/** Who is told what becomes of requests. */
export interface ServerHost<Caller> {
  /** It runs or waits; its limits of time begin. */
  readonly onAccepted: (server: ApiServer<Caller>, request: StormRequest) => void;
  readonly onDispatched: (server: ApiServer<Caller>, request: StormRequest, now: Tick) => void;
  readonly onCompleted: (server: ApiServer<Caller>, request: StormRequest, now: Tick) => void;
  readonly onRejected: (
    server: ApiServer<Caller>,
    request: StormRequest,
    reason: RejectionReason,
    retryAfterSeconds: number,
    now: Tick,
  ) => void;
  /** The request has done its work here and waits for others before it ends. */
  readonly onIdle: (server: ApiServer<Caller>, request: StormRequest, until: Tick) => void;
  readonly onShaken: (server: ApiServer<Caller>, caller: Caller, now: Tick) => void;
}

export interface ApiServerOptions<Caller> {
  readonly index: number;
  readonly input: StormServer;
  readonly cluster: StormCluster;
  readonly model: StormModel;
  readonly version: RuleVersion;
  readonly assumedDemand: ReadonlyMap<string, AssumedDemand>;
  readonly stepSeconds: number | null;
  readonly random: () => number;
  /** Where within a second the clock of the servers stands at tick 0. */
  readonly secondPhase: Tick;
  readonly host: ServerHost<Caller>;
}

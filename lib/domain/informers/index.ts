/**
 * What informers of client-go send: at the start, when a watch ends or breaks, at 410, at 429, when the API server is
 * away; by version and gates. Pure, deterministic, on a clock of whole microseconds.
 */
export { CLIENT_GO_MINORS, type ClientGoRules, clientGoRules } from "./client-go.ts";
export { INFORMER_CLIENTS, type InformerClient, type InformerClientName, informerClient } from "./clients.ts";
export { type PersistentFailure, persistentFailureRate } from "./failure-rate.ts";
export {
  Reflector,
  type ReflectorCommand,
  type ReflectorOptions,
  type ReflectorPhase,
  type ReflectorState,
  type WaitReason,
} from "./reflector.ts";
export { type BackOffState, ReflectorBackOff } from "./reflector-back-off.ts";
export { type ReflectorRequest, toQueryString } from "./reflector-request.ts";
export { MAX_RETRIES, retrySeconds } from "./rest-retry.ts";
export type {
  ListAnswer,
  RequestAnswer,
  StatusAnswer,
  StatusError,
  StreamEvent,
  TransportFailure,
} from "./server-answer.ts";
export type { ScriptedAnswer, ServerScript } from "./server-script.ts";
export {
  type ReflectorDump,
  ReflectorSimulation,
  type ReflectorSimulationOptions,
  type SentRequest,
} from "./simulate-reflector.ts";
export {
  REFLECTOR_SITUATIONS,
  type ReflectorSituation,
  reflectorRequests,
  type SituationRequests,
} from "./situations.ts";

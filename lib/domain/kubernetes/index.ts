export {
  type GateSettings,
  type GateStage,
  type GateState,
  gateState,
  isGateEnabled,
  SERVER_GATES,
  type ServerGate,
} from "./feature-gates.ts";
export { exactMatch, type FieldTerm, parseFieldSelector } from "./field-selector.ts";
export { isLabelSelector } from "./label-selector.ts";
export { type ListOptions, parseListOptions } from "./list-options.ts";
export { splitRequestUri, unescapePath, unescapeQuery } from "./query.ts";
export { parseRequest, type RequestInfo, requiredField } from "./request.ts";
export * from "./version.ts";

import { type FlowMatchAnswer, type FlowMatchInput, matchFlow } from "../../domain/fairness/index.ts";
import { requestOfResource, type Verb } from "../../domain/kubernetes/resource-request.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { explainMatch, matchOutputs, priceMatched } from "../lines/match-line.ts";
import { definedOf, priceOutputs, priceReasons } from "../lines/seats-line.ts";
import { formatPriceLines, formatServingLines } from "../output/price.ts";
import { chooseStyle, type Style } from "../output/style.ts";
import type { MatchFlags } from "../register/fairness.ts";
import { missingFlags } from "../register/flag-values.ts";
import { costFieldsOf, isPriceKnown, splitPath } from "../register/request-flags.ts";
import { type FlowControlObjects, readFlowControl } from "./read-flow-control.ts";

const ANSWERED = 0;
const WRONG_USAGE = 2;

interface RequestToMatch {
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

/** `headroom fairness match` for the one request that its flags describe. Returns the exit code. */
export async function runFairnessMatch(flags: MatchFlags): Promise<number> {
  const { kubernetesVersion: v, serviceAccount } = flags;
  const user = serviceAccount ?? flags.user;
  const request = requestOf(flags);
  const missing = missingFlags({ "--kubernetes-version": v, "--user or --service-account": user });
  const both =
    serviceAccount !== undefined && flags.user !== undefined
      ? "--user, --service-account: expected one of the two."
      : null;
  const problem = both ?? missing ?? (typeof request === "string" ? request : null);
  if (problem !== null || v === undefined || user === undefined || typeof request === "string") {
    process.stderr.write(`${problem}\n`);
    return WRONG_USAGE;
  }
  const objects = await readObjects(flags);
  if (typeof objects === "string") {
    process.stderr.write(`${objects}\n`);
    return WRONG_USAGE;
  }
  const fields = definedOf({
    v,
    user,
    groups: flags.group,
    ...request,
    ...objects,
    scl: flags.serverConcurrencyLimit,
    ...costFieldsOf(flags),
  });
  const answer = matchFlow(fields);
  const cost = priceMatched(fields, answer);
  const isCounted = answer.requestInfo.verb === "list" || answer.requestInfo.verb === "watch";
  const isPriced = answer.error === null && (!isCounted || isPriceKnown(flags));
  const notes = doubtsOf(flags, answer);
  if (flags.output === "json") {
    const tool = { name: "headroom", version: HEADROOM_VERSION };
    const { requestInfo: _, ...seats } = priceOutputs(cost.priced);
    const priced = isPriced ? { cost: { plMax: cost.plMax, ...seats, ...priceReasons(cost.priced) } } : {};
    const asked = { v, user, ...(flags.group === undefined ? {} : { groups: flags.group }), ...request };
    const all = {
      schemaVersion: 1,
      tool,
      request: asked,
      ...matchOutputs(answer),
      trace: answer.trace,
      explanation: explainMatch(answer),
      ...priced,
      ...(notes.length === 0 ? {} : { notes }),
    };
    process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
    return ANSWERED;
  }
  const style = chooseStyle(process.stdout, process.env);
  const lines = [
    style.bold(
      `${request.method} ${request.path}${request.query === "" ? "" : `?${request.query}`} by ${user}, Kubernetes ${v}`,
    ),
    ...notes.map((note) => style.yellow(note)),
    ...formatMatchLines(answer, style),
    ...(isPriced ? formatPriceLines(cost.priced, style, " there") : []),
    ...(isPriced && cost.priced.serving !== null ? formatServingLines(cost.priced.serving, style) : []),
    ...(answer.error === null && !isPriced
      ? [style.dim("What it costs depends on how many objects there are: --objects, --object-bytes.")]
      : []),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return ANSWERED;
}

function formatMatchLines(answer: FlowMatchAnswer, style: Style): readonly string[] {
  const { flowSchema, priorityLevel, distinguisher, error } = answer;
  if (error !== null) return [style.red(error)];
  const flow = distinguisher === "" ? "one flow for all" : `flow ${distinguisher}`;
  return [
    `FlowSchema ${style.bold(flowSchema ?? "")}, priority level ${style.bold(priorityLevel ?? "")}, ${flow}`,
    ...explainMatch(answer).map((sentence) => `  ${sentence}`),
  ];
}

/** What was asked and answered, and may not be what was meant. */
function doubtsOf(flags: MatchFlags, { requestInfo }: FlowMatchAnswer): readonly string[] {
  const { user, resource } = flags;
  return [
    ...(user !== undefined && /^[a-z0-9-]+\/[a-z0-9.-]+$/.test(user)
      ? [`${user} is taken as the name of a user. A service account: --service-account ${user}.`]
      : []),
    ...(resource !== undefined && !/^[^A-Z]*s$/.test(requestInfo.resource)
      ? [
          `${requestInfo.resource} is taken as the name of a resource. An API server knows resources by their plural in small letters, such as pods.`,
        ]
      : []),
  ];
}

async function readObjects(
  flags: MatchFlags,
): Promise<Pick<FlowMatchInput, "flowSchemas" | "priorityLevels"> | string> {
  const files = [flags.flowSchemas, flags.priorityLevels].filter((file) => file !== undefined);
  if (files.length === 2 && files[0] === "-" && files[1] === "-") {
    return "--flow-schemas, --priority-levels: standard input can be one of them only.";
  }
  const read: FlowControlObjects[] = [];
  for (const file of new Set(files)) {
    const objects = await readFlowControl(file);
    if (typeof objects === "string") return objects;
    read.push(objects);
  }
  const flowSchemas = read.flatMap((objects) => objects.flowSchemas);
  const priorityLevels = read.flatMap((objects) => objects.priorityLevels);
  const base = flags.withDefaults === true ? (["defaults"] as const) : [];
  // A file of one kind leaves the other at the defaults of the version.
  return {
    ...(flowSchemas.length === 0 ? {} : { flowSchemas: [...base, ...flowSchemas] }),
    ...(priorityLevels.length === 0 ? {} : { priorityLevels: [...base, ...priorityLevels] }),
  };
}

/** Method, path and query of what the flags describe; a sentence where they do not describe one request. */
function requestOf(flags: MatchFlags): RequestToMatch | string {
  const byResource = flags.verb !== undefined || flags.resource !== undefined;
  if (byResource && (flags.path !== undefined || flags.method !== undefined)) {
    return "--verb and --resource, or --method and --path: expected one of the two.";
  }
  if (flags.path !== undefined) {
    return { method: flags.method ?? "GET", ...splitPath(flags.path, flags.query) };
  }
  const { verb, resource } = flags;
  if (verb === undefined || resource === undefined) {
    return "Missing --verb and --resource, or --path. Questions one a line: --input FILE. All flags: --help.";
  }
  return describedRequest(flags, verb, resource);
}

function describedRequest(flags: MatchFlags, verb: Verb, given: string): RequestToMatch | string {
  const resource = resourceOf(flags, given);
  if ("problem" in resource) return resource.problem;
  const asked = requestOfResource({
    verb,
    resource: resource.name,
    namespace: flags.namespace ?? "",
    name: flags.name ?? "",
  });
  if ("faults" in asked) {
    return Object.entries(asked.faults)
      .map(([field, fault]) => `--${field}: ${fault}.`)
      .join(" ");
  }
  const query = [
    ...asked.options.map(([key, value]) => `${key}=${encodeURIComponent(value)}`),
    ...(flags.query === undefined ? [] : [flags.query.replace(/^\?/, "")]),
  ].join("&");
  return { method: asked.method, path: asked.path, query };
}

/** The resource with its group and subresource, which may come with it or in flags of their own. */
function resourceOf(
  { apiGroup, subresource }: MatchFlags,
  given: string,
): { readonly name: string } | { readonly problem: string } {
  const [plural = "", ...subresourceParts] = given.split("/");
  const [resource = "", ...groupParts] = plural.split(".");
  const ownGroup = groupParts.join(".");
  const ownSubresource = subresourceParts.join("/");
  if (apiGroup !== undefined && ownGroup !== "" && apiGroup !== ownGroup) {
    return { problem: `--api-group: --resource names the group ${ownGroup} already.` };
  }
  if (subresource !== undefined && ownSubresource !== "" && subresource !== ownSubresource) {
    return { problem: `--subresource: --resource names the subresource ${ownSubresource} already.` };
  }
  const group = apiGroup ?? ownGroup;
  const sub = subresource ?? ownSubresource;
  return { name: `${resource}${group === "" ? "" : `.${group}`}${sub === "" ? "" : `/${sub}`}` };
}

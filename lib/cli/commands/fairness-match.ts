import { type FlowMatchAnswer, type FlowMatchInput, matchFlow } from "../../domain/fairness/index.ts";
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

const METHODS: Readonly<Record<string, string>> = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};

/** Method, path and query of what the flags describe; a sentence where they do not describe one request. */
function requestOf(flags: MatchFlags): RequestToMatch | string {
  const byResource = flags.verb !== undefined || flags.resource !== undefined;
  if (byResource && (flags.path !== undefined || flags.method !== undefined)) {
    return "--verb and --resource, or --method and --path: expected one of the two.";
  }
  if (flags.path !== undefined) {
    return { method: flags.method ?? "GET", ...splitPath(flags.path, flags.query) };
  }
  const missing = missingFlags({ "--verb": flags.verb, "--resource": flags.resource });
  if (missing !== null) {
    return "Missing --verb and --resource, or --path. Questions one a line: --input FILE. All flags: --help.";
  }
  return requestOfResource(flags, flags.verb ?? "", flags.resource ?? "");
}

function requestOfResource(flags: MatchFlags, verb: string, given: string): RequestToMatch | string {
  const isOfObject = ["get", "update", "patch", "delete"].includes(verb);
  if (isOfObject && flags.name === undefined) return `--name: ${verb} is of one object; expected its name.`;
  if (verb === "deletecollection" && flags.name !== undefined)
    return "--name: deletecollection is of many objects.";
  const [resource = "", ...groupParts] = given.split(".");
  const group = flags.apiGroup ?? groupParts.join(".");
  // The version in the path plays no role in matching or pricing.
  const parts = [group === "" ? "/api/v1" : `/apis/${group}/v1`];
  if (flags.namespace !== undefined) parts.push("namespaces", flags.namespace);
  parts.push(resource);
  if (flags.name !== undefined && verb !== "list" && verb !== "watch") parts.push(flags.name);
  if (flags.subresource !== undefined) parts.push(flags.subresource);
  const query = [
    ...(verb === "watch" ? ["watch=true"] : []),
    ...((verb === "list" || verb === "watch") && flags.name !== undefined
      ? [`fieldSelector=metadata.name%3D${encodeURIComponent(flags.name)}`]
      : []),
    ...(flags.query === undefined ? [] : [flags.query.replace(/^\?/, "")]),
  ].join("&");
  return { method: METHODS[verb] ?? "GET", path: parts.join("/"), query };
}

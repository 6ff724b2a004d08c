/** The verbs of requests for resources, as people name them. */
export const VERBS = [
  "list",
  "watch",
  "get",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
] as const;
export type Verb = (typeof VERBS)[number];

/** A request as people describe it. */
export interface ResourceQuestion {
  readonly verb: Verb;
  /** `pods`, `deployments.apps`, `pods/status`. */
  readonly resource: string;
  /** Empty: the whole cluster. */
  readonly namespace: string;
  /** Empty: no one object. A LIST or WATCH selects it by its name. */
  readonly name: string;
}

export interface ResourceRequest {
  readonly method: string;
  /** Escaped. */
  readonly path: string;
  /** Parameters of the query, in order, not escaped. */
  readonly options: readonly (readonly [string, string])[];
}

/** What is wrong with a question, field by field; a clause each. */
export type QuestionFaults = Partial<Record<"resource" | "namespace" | "name", string>>;

const METHOD_OF: Readonly<Record<Verb, string>> = {
  list: "GET",
  watch: "GET",
  get: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};
const OF_ONE_OBJECT: readonly Verb[] = ["get", "update", "patch", "delete"];
const OF_MANY: readonly Verb[] = ["list", "watch", "deletecollection"];
const RESOURCE = /^([a-z0-9][a-z0-9-]*)((?:\.[a-z0-9][a-z0-9-]*)*)(?:\/([a-z0-9-]+))?$/;

/**
 * The request that a client sends for what somebody describes. The version in the path plays no role in matching or
 * pricing, so that of every group is taken to be v1.
 */
export function requestOfResource(
  question: ResourceQuestion,
): ResourceRequest | { readonly faults: QuestionFaults } {
  const { verb, namespace, name } = question;
  const match = RESOURCE.exec(question.resource);
  const [, resource = "", group = "", subresource] = match ?? [];
  const faults = findFaults(question, match !== null, subresource);
  if (Object.keys(faults).length > 0) return { faults };
  const isNameInPath = !OF_MANY.includes(verb) && (verb !== "create" || subresource !== undefined);
  const parts = [
    group === "" ? "/api/v1" : `/apis/${group.slice(1)}/v1`,
    ...(namespace === "" ? [] : ["namespaces", encodeURIComponent(namespace)]),
    resource,
    ...(isNameInPath && name !== "" ? [encodeURIComponent(name)] : []),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  const options: (readonly [string, string])[] = [];
  if (verb === "watch") options.push(["watch", "true"]);
  if (isRead(verb) && name !== "") options.push(["fieldSelector", `metadata.name=${escapeValue(name)}`]);
  return { method: METHOD_OF[verb], path: parts.join("/"), options };
}

/** LIST and WATCH take options. */
export const isRead = (verb: Verb): boolean => verb === "list" || verb === "watch";

function findFaults(
  { verb, resource, namespace, name }: ResourceQuestion,
  isResource: boolean,
  subresource: string | undefined,
): QuestionFaults {
  const faults: QuestionFaults = {};
  if (!isResource) {
    faults.resource =
      resource === ""
        ? "needed here: the plural as in a path, such as pods"
        : "expected a plural as in a path: pods, deployments.apps, pods/status";
  }
  if (subresource !== undefined && OF_MANY.includes(verb)) {
    faults.resource = `a subresource is of one object: there is no ${verb} of it`;
  }
  if (name === "" && (OF_ONE_OBJECT.includes(verb) || (verb === "create" && subresource !== undefined))) {
    faults.name = `needed here: ${subresource === undefined ? verb : `the subresource ${subresource}`} is of one object`;
  }
  if (name !== "" && verb === "deletecollection") faults.name = "deletecollection is of many objects";
  for (const [field, value] of [["namespace", namespace] as const, ["name", name] as const]) {
    if (/[/\s]/.test(value)) faults[field] = "expected one name, without a slash or a blank";
  }
  return faults;
}

/** A value in a field selector: `\`, `,` and `=` mean something there. */
const escapeValue = (value: string) => value.replace(/[\\,=]/g, "\\$&");

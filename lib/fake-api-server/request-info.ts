/** What a request asks for, as kube-apiserver resolves it. Source: apiserver pkg/endpoints/request/requestinfo.go. */
export type RequestInfo =
  | { readonly isResource: false; readonly verb: string; readonly path: string }
  | {
      readonly isResource: true;
      readonly verb: string;
      readonly path: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    };

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
  GET: "get",
  HEAD: "get",
};

export function requestInfoOf(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = path.split("/").filter((part) => part !== "");
  const other: RequestInfo = { isResource: false, verb: method.toLowerCase(), path };
  let rest: string[];
  let group = "";
  let version: string;
  if (parts[0] === "api" && parts.length >= 3) {
    version = parts[1] ?? "";
    rest = parts.slice(2);
  } else if (parts[0] === "apis" && parts.length >= 4) {
    group = parts[1] ?? "";
    version = parts[2] ?? "";
    rest = parts.slice(3);
  } else return other;

  let namespace = "";
  if (rest[0] === "namespaces" && rest.length > 1) {
    namespace = rest[1] ?? "";
    // A Namespace object and its own subresources are addressed by the same prefix as what it holds.
    if (rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize") rest = rest.slice(2);
  }
  const [resource = "", pathName = "", subresource = ""] = rest;
  let verb = VERBS[method] ?? method.toLowerCase();
  let name = pathName;
  if (verb === "get" && name === "") {
    verb = isWatch(query) ? "watch" : "list";
    name = singleNameOf(query.get("fieldSelector") ?? "") ?? "";
  } else if (verb === "delete" && name === "") verb = "deletecollection";
  return { isResource: true, verb, path, group, version, resource, subresource, namespace, name };
}

/** `watch=0` and `watch=false` are lists; any other value, the empty one too, is a watch. */
function isWatch(query: URLSearchParams): boolean {
  const value = query.get("watch");
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

function singleNameOf(fieldSelector: string): string | null {
  for (const term of fieldSelector.split(",")) {
    const match = /^metadata\.name={1,2}([^=]+)$/.exec(term.trim());
    if (match?.[1] !== undefined) return match[1];
  }
  return null;
}

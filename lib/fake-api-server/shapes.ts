import type { RequestShape } from "./figures.ts";

/** A request on a resource, in the form in which metrics and dumps show it. */
export function shape(
  verb: string,
  resource: string,
  {
    group = "",
    version = "v1",
    scope = "cluster",
    namespace = "",
    name = "",
    subresource = "",
  }: Partial<Pick<RequestShape, "group" | "version" | "scope" | "namespace" | "name" | "subresource">> = {},
): RequestShape {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === "" ? "" : `/namespaces/${namespace}`;
  const path = [`${root}${within}/${resource}`, name, subresource].filter((part) => part !== "").join("/");
  return { verb, group, version, resource, subresource, scope, namespace, name, path };
}

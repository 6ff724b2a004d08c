import type { OpenApiDocuments } from "../fake-api-server/scenario.ts";
import { MINIMAL_OPEN_API } from "../fake-api-server/scenario-builder.ts";
import type { ClusterPlan } from "./fleet-plan.ts";

const GO_PATH = "example.io/queueing/apis/visibility/v1beta1";

/**
 * Schema documents of a demo cluster. data-eu-west has an extension API server that publishes Go import paths as
 * names and a keyword that the protobuf form cannot hold: JSON clients get 200, protobuf clients 503.
 */
export function demoOpenApi(plan: ClusterPlan): OpenApiDocuments {
  if (plan.name !== "data-eu-west") return MINIMAL_OPEN_API;
  const schemas = (prefix: string) => ({
    [`${GO_PATH}.PendingWorkload`]: {
      type: "object",
      properties: { priority: { type: "integer", format: "int32", nullable: true } },
    },
    [`${GO_PATH}.PendingWorkloadsSummary`]: {
      type: "object",
      properties: {
        items: {
          type: "array",
          items: { $ref: `${prefix}${GO_PATH.replaceAll("/", "~1")}.PendingWorkload` },
        },
      },
    },
  });
  const path = "/apis/visibility.queueing.example.io/v1beta1/clusterqueues/{name}/pendingworkloads";
  const info = { title: "Kubernetes", version: "unversioned" };
  return {
    v2: {
      swagger: "2.0",
      info,
      paths: { [path]: { get: { responses: { "200": { description: "OK" } } } } },
      definitions: schemas("#/definitions/"),
    },
    v2Protobuf: 503,
    v3: {
      ...MINIMAL_OPEN_API.v3,
      "apis/visibility.queueing.example.io/v1beta1": {
        openapi: "3.0.0",
        info,
        paths: { [path]: { get: { responses: { "200": { description: "OK" } } } } },
        components: { schemas: schemas("#/components/schemas/") },
      },
    },
  };
}

import { z } from "zod";
import {
  ClusterHeaderSchema,
  FairnessLevelRowSchema,
  FairnessServerSchema,
  FindingSchema,
  ServerSchema,
} from "../../contracts/cluster.ts";
import {
  ChartSeriesSchema,
  EventSchema,
  FrameSchema,
  OwnCostSchema,
  PartReportSchema,
  ProblemSchema,
  ReadFailureSchema,
} from "../../contracts/common.ts";
import { FleetRowSchema } from "../../contracts/fleet.ts";
import { PermissionCheckSchema, TargetRowSchema } from "../../contracts/settings.ts";
import { HEADROOM_VERSION } from "../../version.ts";
import { NO_BODY, OPERATIONS, type Operation } from "./operations.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Shapes that stand under a name of their own in the document; what each operation answers joins them. */
const NAMED = {
  ChartSeries: ChartSeriesSchema,
  ClusterHeader: ClusterHeaderSchema,
  Event: EventSchema,
  FairnessLevelRow: FairnessLevelRowSchema,
  FairnessServer: FairnessServerSchema,
  Finding: FindingSchema,
  FleetRow: FleetRowSchema,
  Frame: FrameSchema,
  OwnCost: OwnCostSchema,
  PartReport: PartReportSchema,
  PermissionCheck: PermissionCheckSchema,
  Problem: ProblemSchema,
  ReadFailure: ReadFailureSchema,
  Server: ServerSchema,
  TargetRow: TargetRowSchema,
} as const;

/** The OpenAPI 3.1 document of the API, generated from the schemas that requests and answers are checked with. */
export function describeApi(): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [id, operation] of Object.entries(OPERATIONS)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(id, operation),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Headroom",
      version: HEADROOM_VERSION,
      description:
        "What the pages use, and what other programs may use. Instants are milliseconds since the epoch. What changes something needs Origin to be this site, or, without an Origin, Content-Type: application/json.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: { schemas: describeSchemas() },
  };
}

function describeSchemas(): JsonSchema {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  for (const [id, operation] of Object.entries(OPERATIONS)) {
    if (!registry.has(operation.response)) registry.add(operation.response, { id: responseName(id) });
  }
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, io: "output" });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutHead(schema)]));
}

const responseName = (id: string): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Result`;

/** Name under which the answer of an operation stands in the document. */
function nameOfResponse(id: string, operation: Operation): string {
  const named = Object.entries(NAMED).find(([, schema]) => schema === operation.response);
  if (named !== undefined) return named[0];
  // Operations that share a schema share the name of the first.
  const first = Object.entries(OPERATIONS).find(([, each]) => each.response === operation.response);
  return responseName(first?.[0] ?? id);
}

function describeOperation(id: string, operation: Operation): JsonSchema {
  const ok = {
    description: "OK",
    content: {
      "application/json": { schema: { $ref: `#/components/schemas/${nameOfResponse(id, operation)}` } },
    },
  };
  return {
    operationId: id,
    summary: operation.summary,
    parameters: [
      ...describeParameters("path", operation.params),
      ...describeParameters("query", operation.query),
    ],
    ...(operation.body === NO_BODY
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: withoutHead(z.toJSONSchema(operation.body, { io: "input" })) },
            },
          },
        }),
    responses: {
      200: operation.isPolled
        ? {
            ...ok,
            headers: { ETag: { description: "Weak; send it in If-None-Match.", schema: { type: "string" } } },
          }
        : ok,
      ...(operation.isPolled
        ? { 304: { description: "Nothing changed since the tag in If-None-Match." } }
        : {}),
      default: {
        description: "A problem document (RFC 9457).",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

/** One parameter per member; types as they are after parsing, required where the member has no default. */
function describeParameters(place: "path" | "query", schema: z.ZodType): readonly JsonSchema[] {
  const output = z.toJSONSchema(schema, { io: "output" });
  const required = new Set(z.toJSONSchema(schema, { io: "input" }).required ?? []);
  return Object.entries(output.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.has(name),
    schema: property,
  }));
}

/** Without the members that only the root of a JSON Schema document has. */
function withoutHead({ $schema: _schema, $id: _id, ...rest }: Readonly<Record<string, unknown>>): JsonSchema {
  return rest;
}

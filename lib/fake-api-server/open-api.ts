import { createHash } from "node:crypto";
import type { Reply } from "./reply.ts";
import type { OpenApiDocuments } from "./scenario.ts";

const PROTOBUF_V2 = "application/com.github.proto-openapi.spec.v2";

interface Document {
  readonly body: string;
  readonly etag: string;
}

const documents = new WeakMap<object, Document>();

function documentOf(value: object): Document {
  let known = documents.get(value);
  if (!known) {
    const body = JSON.stringify(value);
    known = { body, etag: createHash("sha512").update(body).digest("hex").toUpperCase() };
    documents.set(value, known);
  }
  return known;
}

/** Answers /openapi/v2 and /openapi/v3; `null` for any other path. Unchanged documents answer 304. */
export function openApiReply(
  path: string,
  query: URLSearchParams,
  headers: { readonly accept: string; readonly ifNoneMatch: string },
  openApi: OpenApiDocuments,
): Reply | null {
  if (path === "/openapi/v2") {
    const asks = headers.accept.split(",").map((part) => part.trim());
    const wantsJson = asks.some(
      (part) => part.startsWith("application/json") || part.startsWith("*/*") || part === "",
    );
    if (asks.some((part) => part.startsWith(PROTOBUF_V2)) && !(wantsJson && openApi.v2Protobuf === null)) {
      return protobufReply(openApi.v2Protobuf);
    }
    return wantsJson ? documentReply(openApi.v2, headers.ifNoneMatch) : emptyReply(406);
  }
  if (path === "/openapi/v3") return documentReply(indexOf(openApi), headers.ifNoneMatch);
  const match = /^\/openapi\/v3\/(.+)$/.exec(path);
  if (!match) return null;
  const document = openApi.v3[match[1] ?? ""];
  if (!document) return emptyReply(404);
  const { etag } = documentOf(document);
  const hash = query.get("hash");
  if (hash === null) return documentReply(document, headers.ifNoneMatch);
  if (hash !== etag) return { ...emptyReply(301), headers: { location: `${path}?hash=${etag}` } };
  const reply = documentReply(document, headers.ifNoneMatch);
  return { ...reply, headers: { ...reply.headers, "cache-control": "public, immutable" } };
}

function protobufReply(document: OpenApiDocuments["v2Protobuf"]): Reply {
  if (document === null) return emptyReply(406);
  if (typeof document === "number") return emptyReply(document);
  return {
    status: 200,
    headers: { "content-type": `${PROTOBUF_V2}.v1.0+protobuf`, vary: "Accept" },
    body: Buffer.from(document),
    compression: "always",
  };
}

function documentReply(value: object, ifNoneMatch: string): Reply {
  const { body, etag } = documentOf(value);
  const headers = { "content-type": "application/json", etag: `"${etag}"`, vary: "Accept" };
  if (ifNoneMatch.includes(`"${etag}"`)) return { status: 304, headers, body: "", compression: "never" };
  return { status: 200, headers, body, compression: "always" };
}

const indexes = new WeakMap<OpenApiDocuments, object>();

function indexOf(openApi: OpenApiDocuments): object {
  let index = indexes.get(openApi);
  if (!index) {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const [name, document] of Object.entries(openApi.v3)) {
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${documentOf(document).etag}` };
    }
    index = { paths };
    indexes.set(openApi, index);
  }
  return index;
}

const emptyReply = (status: number): Reply => ({ status, headers: {}, body: "", compression: "never" });

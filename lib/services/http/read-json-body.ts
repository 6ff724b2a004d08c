import { RequestRefused } from "./request-refused.ts";
import { isJson } from "./same-origin.ts";

/**
 * The body of a request as JSON; `undefined` where there is none. Reading stops at the limit.
 * @throws RequestRefused 413, 415, or 400 where it is no JSON
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  if (request.body === null) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw new RequestRefused(413, "body-too-large", `The body may hold ${maxBytes} bytes.`);
    }
    chunks.push(next.value);
  }
  if (bytes === 0) return undefined;
  if (!isJson(request.headers.get("content-type"))) {
    throw new RequestRefused(
      415,
      "unsupported-media-type",
      "The body must be sent as Content-Type: application/json.",
    );
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new RequestRefused(400, "body-unreadable", "The body is no JSON.");
  }
}

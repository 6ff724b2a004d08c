import { BodyError } from "./body-error.ts";
import type {
  BytesResult,
  JsonOptions,
  JsonResult,
  ReadOptions,
  ReadResult,
  TextResult,
} from "./client-types.ts";
import { asIs, describeProblem } from "./parse-problem.ts";
import type { OpenResponse, Reader } from "./request-sender.ts";

/** What is held as a whole is bounded more tightly than what streams. */
const WHOLE_BODY_BYTES = 32 * 1024 * 1024;

/** GET, the body as text. */
export async function readText(reader: Reader, path: string, options: ReadOptions = {}): Promise<TextResult> {
  const response = await open(reader, path, { accept: "text/plain, */*", ...options });
  const body = await response.read(gather);
  return { ...resultOf(response), text: body.toString("utf8") };
}

/** GET, the body as JSON. */
export async function readJson<T = unknown>(
  reader: Reader,
  path: string,
  options: JsonOptions<T> = {},
): Promise<JsonResult<T>> {
  const { parse = asIs<T>, ...rest } = options;
  const response = await open(reader, path, rest);
  const value = await response.read(async (body) => {
    const json = parseJson(await gather(body), response.headers["content-type"]);
    try {
      return parse(json);
    } catch (error) {
      throw new BodyError("bad-body", `the answer is not what was expected: ${describeProblem(error)}`);
    }
  });
  return { ...resultOf(response), value };
}

/** GET, the body as bytes. */
export async function readBytes(
  reader: Reader,
  path: string,
  options: ReadOptions = {},
): Promise<BytesResult> {
  const response = await open(reader, path, options);
  const body = await response.read(gather);
  return { ...resultOf(response), body };
}

function open(reader: Reader, path: string, options: ReadOptions): Promise<OpenResponse> {
  return reader({
    verb: "get",
    path,
    ...options,
    limits: { decodedBytes: WHOLE_BODY_BYTES, ...options.limits },
  });
}

function resultOf(response: OpenResponse): ReadResult {
  const { status, headers, connectionId } = response;
  return { status, headers, connectionId, cost: response.cost() };
}

async function gather(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parseJson(bytes: Buffer, contentType: string | undefined): unknown {
  if (bytes.length === 0) throw new BodyError("bad-body", "the body is empty");
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    const begin = JSON.stringify(bytes.subarray(0, 80).toString("utf8"));
    throw new BodyError(
      "bad-body",
      `expected JSON, got ${contentType ?? "a body without a type"} that begins with ${begin}`,
    );
  }
}

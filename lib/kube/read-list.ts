import { z } from "zod";
import { ApiServerError } from "./api-server-error.ts";
import { BodyError } from "./body-error.ts";
import type {
  CountResult,
  ListEvent,
  ListOptions,
  ListPage,
  ListResult,
  ListSummary,
  ReadOptions,
  SamplePage,
} from "./client-types.ts";
import { addCosts, NO_COST } from "./cost.ts";
import { POD_SAMPLE_LIMIT } from "./guard.ts";
import { PAGE_OBJECTS } from "./list-form.ts";
import { ListSplitter } from "./list-splitter.ts";
import { asIs, describeProblem } from "./parse-problem.ts";
import type { OpenResponse, Reader } from "./request-sender.ts";

const METADATA_ACCEPT = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
const MAX_ITEMS_HELD = 50_000;

/** A list without its items, as far as we read it. */
const EnvelopeSchema = z.object({
  kind: z.string().optional(),
  items: z.array(z.unknown()).max(0).nullable(),
  metadata: z
    .object({
      resourceVersion: z.string().optional(),
      continue: z.string().optional(),
      remainingItemCount: z.number().int().nonnegative().optional(),
    })
    .nullish(),
});
type Envelope = z.output<typeof EnvelopeSchema>;

/**
 * A LIST in pages, items as they come. An expired continue token (410) starts it again from the beginning, at most
 * `maxRestarts` times: the consumer is told by `restart` and drops what it has.
 */
export async function* readList<T = unknown>(
  reader: Reader,
  path: string,
  options: ListOptions<T> = {},
): AsyncGenerator<ListEvent<T>, ListSummary, undefined> {
  const { form, maxRestarts = 2, parseItem = asIs<T>, maxItemBytes, metadataOnly, query, ...rest } = options;
  const limit = form === undefined ? PAGE_OBJECTS : form.limit;
  let cost = NO_COST;
  let restarts = 0;
  let progress = NOTHING_READ;
  let token: string | null = null;
  for (;;) {
    // A continue token carries its resourceVersion: giving both is an error.
    const version =
      token === null
        ? {
            resourceVersion: form?.resourceVersion || undefined,
            resourceVersionMatch: form?.resourceVersionMatch ?? undefined,
          }
        : { continue: token };
    let response: OpenResponse;
    try {
      response = await reader({
        verb: "list",
        path,
        ...rest,
        query: { ...query, limit: limit ?? undefined, ...version },
        ...(metadataOnly === true ? { accept: METADATA_ACCEPT } : {}),
      });
    } catch (error) {
      const isExpired = error instanceof ApiServerError && error.reason === "gone" && token !== null;
      if (!isExpired || restarts >= maxRestarts) throw error;
      restarts++;
      progress = NOTHING_READ;
      token = null;
      yield { type: "restart", restarts };
      continue;
    }
    const page = yield* readPage(response, parseItem, maxItemBytes);
    cost = addCosts(cost, response.cost());
    const isIdle = page.itemCount === 0 && page.token !== null;
    if (isIdle && progress.wasIdle) {
      throw response.fail(new BodyError("bad-body", "the list goes on without giving anything"));
    }
    progress = {
      itemCount: progress.itemCount + page.itemCount,
      itemBytes: progress.itemBytes + page.itemBytes,
      pages: progress.pages + 1,
      wasIdle: isIdle,
    };
    const { token: next, kind, ...shown } = page;
    yield { type: "page", page: shown };
    token = next;
    if (token === null) {
      const { itemCount, itemBytes, pages } = progress;
      return { itemCount, itemBytes, pages, restarts, resourceVersion: page.resourceVersion, kind, cost };
    }
  }
}

const NOTHING_READ = { itemCount: 0, itemBytes: 0, pages: 0, wasIdle: false };

interface ReadPage extends ListPage {
  readonly token: string | null;
  readonly kind: string;
}

async function* readPage<T>(
  response: OpenResponse,
  parseItem: (item: unknown) => T,
  maxItemBytes: number | undefined,
): AsyncGenerator<ListEvent<T>, ReadPage, undefined> {
  const splitter = new ListSplitter(maxItemBytes === undefined ? {} : { maxItemBytes });
  let itemCount = 0;
  let itemBytes = 0;
  try {
    for await (const chunk of response.body) {
      const slices = splitter.push(chunk);
      if (slices.length === 0) continue;
      const items: T[] = [];
      for (const slice of slices) {
        items.push(parse(slice, itemCount, parseItem));
        itemCount++;
        itemBytes += slice.length;
      }
      yield { type: "items", items };
    }
    const envelope = readEnvelope(splitter.end());
    const token = envelope.metadata?.continue || null;
    return {
      itemCount,
      itemBytes,
      resourceVersion: envelope.metadata?.resourceVersion ?? "",
      remainingItemCount: token === null ? 0 : (envelope.metadata?.remainingItemCount ?? null),
      hasContinue: token !== null,
      token,
      kind: envelope.kind ?? "",
    };
  } catch (error) {
    throw error instanceof BodyError ? response.fail(error) : error;
  } finally {
    response.close();
  }
}

function parse<T>(slice: Buffer, index: number, parseItem: (item: unknown) => T): T {
  let item: unknown;
  try {
    item = JSON.parse(slice.toString("utf8"));
  } catch {
    throw new BodyError("bad-body", `item ${index} of the page is not JSON`);
  }
  try {
    return parseItem(item);
  } catch (error) {
    const why = describeProblem(error);
    throw new BodyError("bad-body", `item ${index} of the page is not what was expected: ${why}`);
  }
}

function readEnvelope(value: unknown): Envelope {
  const parsed = EnvelopeSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const kind: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "kind") : null;
  const what =
    typeof kind === "string" ? `kind ${JSON.stringify(kind.slice(0, 80))}` : "JSON of another kind";
  throw new BodyError("bad-body", `expected a list, got ${what} (${describeProblem(parsed.error)})`);
}

/** The LIST as a whole. */
export async function readAll<T = unknown>(
  reader: Reader,
  path: string,
  options: ListOptions<T> & { readonly maxItems?: number } = {},
): Promise<ListResult<T>> {
  const { maxItems = MAX_ITEMS_HELD, ...listOptions } = options;
  const list = readList(reader, path, listOptions);
  let items: T[] = [];
  try {
    for (;;) {
      const next = await list.next();
      if (next.done === true) return { ...next.value, items };
      if (next.value.type === "restart") items = [];
      else if (next.value.type === "items") for (const item of next.value.items) items.push(item);
      if (items.length > maxItems)
        await list.throw(new BodyError("too-large", `the list has more than ${maxItems} items`));
    }
  } finally {
    await list.return(NO_SUMMARY);
  }
}

const NO_SUMMARY: ListSummary = {
  itemCount: 0,
  itemBytes: 0,
  pages: 0,
  restarts: 0,
  resourceVersion: "",
  kind: "",
  cost: NO_COST,
};

/** One page, never continued, with the bytes of each item. */
export async function readSamplePage(
  reader: Reader,
  path: string,
  options: { readonly limit: number } & Pick<
    ListOptions<unknown>,
    "metadataOnly" | "signal" | "limits" | "query"
  >,
): Promise<SamplePage> {
  const { limit, metadataOnly, query, ...rest } = options;
  const bounded = Math.max(1, Math.min(POD_SAMPLE_LIMIT, Math.floor(limit)));
  return readOnePage(reader, path, { ...rest, query: { ...query, limit: bounded } }, metadataOnly === true);
}

/** How many objects there are, from one page of one. */
export async function countObjects(
  reader: Reader,
  path: string,
  options: Pick<ReadOptions, "signal" | "limits"> = {},
): Promise<CountResult> {
  const page = await readOnePage(reader, path, { ...options, query: { limit: 1 } }, true);
  const { itemCount, remainingItemCount, resourceVersion, cost } = page;
  return {
    count: remainingItemCount === null ? null : itemCount + remainingItemCount,
    resourceVersion,
    cost,
  };
}

async function readOnePage(
  reader: Reader,
  path: string,
  options: ReadOptions,
  metadataOnly: boolean,
): Promise<SamplePage> {
  const response = await reader({
    verb: "list",
    path,
    ...options,
    ...(metadataOnly ? { accept: METADATA_ACCEPT } : {}),
  });
  const bytesPerItem: number[] = [];
  const items: unknown[] = [];
  const page = await response.read(async (body) => {
    const splitter = new ListSplitter();
    for await (const chunk of body) {
      for (const slice of splitter.push(chunk)) {
        bytesPerItem.push(slice.length);
        items.push(parse(slice, items.length, asIs));
      }
    }
    return readEnvelope(splitter.end());
  });
  const hasContinue = Boolean(page.metadata?.continue);
  return {
    items,
    bytesPerItem,
    itemCount: items.length,
    itemBytes: bytesPerItem.reduce((sum, bytes) => sum + bytes, 0),
    resourceVersion: page.metadata?.resourceVersion ?? "",
    remainingItemCount: hasContinue ? (page.metadata?.remainingItemCount ?? null) : 0,
    hasContinue,
    cost: response.cost(),
  };
}

import { MutationObserver, QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";
import { MAX_UNDONE_EVENTS, UndoAcknowledgeRequestSchema } from "../contracts/fleet.ts";
import { undoAcknowledgeMutation } from "./fleet.ts";

afterEach(() => vi.unstubAllGlobals());

test("more acknowledgements than one request may take back are taken back in several", async () => {
  const sizes: number[] = [];
  vi.stubGlobal("fetch", (_path: string, init: RequestInit) => {
    const { eventIds } = UndoAcknowledgeRequestSchema.parse(JSON.parse(String(init.body)));
    sizes.push(eventIds.length);
    return Promise.resolve(Response.json({ eventIds }));
  });
  const ids = Array.from({ length: MAX_UNDONE_EVENTS * 2 + 1 }, (_, index) => String(index));
  const undo = new MutationObserver(new QueryClient(), undoAcknowledgeMutation());
  expect(await undo.mutate(ids)).toEqual({ eventIds: ids });
  expect(sizes).toEqual([MAX_UNDONE_EVENTS, MAX_UNDONE_EVENTS, 1]);
});

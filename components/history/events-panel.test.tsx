// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { headerFixture } from "@/components/fixtures/cluster-fixture";
import { FIXTURE_NOW, frameFixture } from "@/components/fixtures/fleet-fixture";
import { renderPage, serveApi } from "@/components/test-support/render-page";
import type { EventItem } from "@/lib/contracts/common";
import { type HistoryResponse, HistoryResponseSchema } from "@/lib/contracts/history";
import { EventsPanel } from "./events-panel";

const FROM = FIXTURE_NOW - 86_400_000;

/** The larger the number, the newer. */
const event = (number: number): EventItem => ({
  id: `e${number}`,
  clusterId: "c-ml",
  clusterName: "ml-us-east",
  kind: "node-count-changed",
  severity: "info",
  at: FROM + number * 1000,
  subject: "nodes",
  lead: `Change ${number}.`,
  text: "",
  before: null,
  after: null,
  isGenerated: false,
});

const history = (over: Partial<HistoryResponse>) =>
  HistoryResponseSchema.parse({
    frame: frameFixture(),
    header: headerFixture(),
    fromAt: FROM,
    toAt: FIXTURE_NOW,
    range: "24h",
    serverId: null,
    priorityLevelName: null,
    servers: [],
    priorityLevelNames: [],
    charts: [],
    events: [],
    nextCursor: null,
    ...over,
  });

const path = (cursor: string) => `GET /api/clusters/c-ml/events?cursor=${cursor}&from=${FROM}`;
const page = (numbers: readonly number[], nextCursor: string | null) => ({
  now: FIXTURE_NOW,
  events: numbers.map(event),
  nextCursor,
});
const first = history({ events: [6, 5].map(event), nextCursor: "c5" });
/** The answer after two newer events: as long as before, so its end has moved. */
const renewed = history({ events: [8, 7].map(event), nextCursor: "c7" });

/** The panel over an answer that is renewed on a press. */
function Renewable({ isPending = false }: { isPending?: boolean }) {
  const [response, setResponse] = useState(first);
  return (
    <>
      <button type="button" onClick={() => setResponse(renewed)}>
        Renew
      </button>
      <EventsPanel response={response} letters={new Map()} onPoint={() => undefined} isPending={isPending} />
    </>
  );
}

const shown = () => screen.getAllByRole("listitem").map((item) => /Change (\d+)/.exec(item.textContent)?.[1]);
const more = () => screen.getByRole("button", { name: "Show older" });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test("older changes come a page per press, down to the start of the range, and then no more are offered", async () => {
  const user = userEvent.setup();
  const asked = serveApi({ [path("c5")]: page([4, 3], "c3"), [path("c3")]: page([2, 1], null) });
  renderPage(<Renewable />);
  expect(shown()).toEqual(["6", "5"]);
  await user.click(more());
  expect(await screen.findByText("Change 3.")).toBeDefined();
  expect(shown()).toEqual(["6", "5", "4", "3"]);
  await user.click(more());
  expect(await screen.findByText("Change 1.")).toBeDefined();
  expect(shown()).toEqual(["6", "5", "4", "3", "2", "1"]);
  expect(screen.queryByRole("button", { name: "Show older" })).toBeNull();
  expect([...asked.keys()]).toEqual([path("c5"), path("c3")]);
});

test("an answer renewed meanwhile adds newer changes on top and leaves no hole above the older ones", async () => {
  const user = userEvent.setup();
  serveApi({ [path("c5")]: page([4, 3], null) });
  renderPage(<Renewable />);
  await user.click(more());
  await screen.findByText("Change 3.");
  await user.click(screen.getByRole("button", { name: "Renew" }));
  expect(shown()).toEqual(["8", "7", "6", "5", "4", "3"]);
});

test("a page that cannot be read is said to be, what is shown stays, and it can be asked for again", async () => {
  const user = userEvent.setup();
  const answers: Record<string, unknown> = { [path("c5")]: new Response("", { status: 503 }) };
  serveApi(answers);
  renderPage(<Renewable />);
  await user.click(more());
  expect((await screen.findByRole("alert")).textContent).toBe("Older changes could not be read.");
  expect(shown()).toEqual(["6", "5"]);
  answers[path("c5")] = page([4], "c4");
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Change 4.")).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
  await user.click(more());
  expect((await screen.findByRole("alert")).textContent).toBe("Older changes could not be read.");
  expect(shown()).toEqual(["6", "5", "4"]);
});

test("nothing older is asked for while the answer is that of another range", () => {
  renderPage(<Renewable isPending />);
  expect(more()).toHaveProperty("disabled", true);
});

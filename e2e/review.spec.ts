import { startDemo } from "./fixtures/demo.ts";
import { expect, test } from "./fixtures/test.ts";
import { FleetPage } from "./pages/fleet-page.ts";
import { untilListening } from "./pages/open-page.ts";

test("a change is acknowledged and taken back; all of them only after asking, and they stay in the history", async ({
  page,
  bench,
}) => {
  test.slow();
  const headroom = await startDemo(bench);
  const fleet = new FleetPage(page);
  await fleet.open(headroom.url);
  const all = fleet.changes.getByRole("button", { name: /^Acknowledge all \d+$/ });
  await expect(fleet.changes).toContainText(", 0 already acknowledged");
  const change = fleet.changeRows().filter({ hasText: "Requests are rejected." });
  await change.getByRole("button", { name: /^Acknowledge/ }).click();
  await expect(fleet.changes).toContainText(", 1 already acknowledged");
  await change.getByRole("button", { name: /^Undo/ }).click();
  await expect(fleet.changes).toContainText(", 0 already acknowledged");
  await expect(change.getByRole("button", { name: /^Acknowledge/ })).toBeVisible();

  await all.click();
  const question = page.getByRole("dialog", { name: /^Acknowledge all \d+ changes\?$/ });
  await expect(question).toContainText("They leave this list and stay in the history.");
  await question.getByRole("button", { name: "Keep them" }).click();
  await expect(question).toBeHidden();
  await expect(fleet.changes).toContainText(", 0 already acknowledged");
  await all.click();
  await question.getByRole("button", { name: "Acknowledge all" }).click();
  const undo = fleet.changes.getByRole("button", { name: /^Undo \d+ acknowledgements$/ });
  await expect(undo).toBeVisible();
  expect(Number(/\d+/.exec((await undo.textContent()) ?? "")?.[0])).toBeGreaterThan(20);
  await page.reload();
  await untilListening(page);
  await expect(fleet.changes).toContainText(/last review .* · \d new, \d{2,} already acknowledged/);
  await expect(change).toHaveCount(0);

  await page.goto(`${headroom.url}/clusters/ml-us-east/history`);
  await expect(page.getByRole("region", { name: "Changes in this range" })).toContainText(
    "Requests are rejected.",
  );
});

test("what is acknowledged in one tab is acknowledged in the other", async ({ page, context, bench }) => {
  test.slow();
  const headroom = await startDemo(bench);
  const first = new FleetPage(page);
  await first.open(headroom.url);
  const second = new FleetPage(await context.newPage());
  await second.open(headroom.url);
  const restart = { hasText: "35 s without data" };
  await expect(second.changeRows().filter(restart)).toBeVisible();
  const count = await second.changeRows().count();
  await first
    .changeRows()
    .filter(restart)
    .getByRole("button", { name: /^Acknowledge/ })
    .click();
  await expect(first.changes).toContainText("1 already acknowledged");
  await second.page.reload();
  await expect(second.changes).toContainText("1 already acknowledged");
  await expect(second.changeRows()).toHaveCount(count);
  await expect(second.changeRows().filter(restart)).toHaveCount(0);
});

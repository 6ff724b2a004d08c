import { chromium } from "@playwright/test";
import { atEnd } from "./clean-up.ts";

/** Debian's Chromium as root and without a display; without these flags it looks for hosts outside at every start. */
const CHROMIUM_ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const LIMIT_MS = 30_000;

/** One load of a page with a long table. Times count from the start of the navigation. */
export interface TableLoad {
  /** Until the frame after the one in which a row with text was there. */
  readonly tablePaintMs: number;
  /** Until React had taken over the rows that came as HTML. */
  readonly interactiveMs: number;
  /** From the jump to the end of the page until its last row is drawn. */
  readonly scrollMs: number;
  /** Rows in the document at either end of the page. */
  readonly rowsMost: number;
}

interface Marks {
  tablePaintMs: number | null;
  interactiveMs: number | null;
}

/** Loads the page `count` times in a fresh browser, each time in a context of its own, after one load to warm up. */
export async function measureTable(url: string, count: number): Promise<readonly TableLoad[]> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: CHROMIUM_ARGUMENTS,
  });
  atEnd(() => browser.close());
  const loads: TableLoad[] = [];
  for (let run = 0; run <= count; run++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(watchTable);
    await page.goto(url, { waitUntil: "commit", timeout: LIMIT_MS });
    await page.waitForFunction(
      () => (globalThis as unknown as { marks: Marks }).marks.interactiveMs !== null,
      null,
      {
        timeout: LIMIT_MS,
      },
    );
    const marks = await page.evaluate(() => (globalThis as unknown as { marks: Marks }).marks);
    const scroll = await page.evaluate(scrollToEnd);
    if (run > 0) {
      loads.push({
        tablePaintMs: marks.tablePaintMs ?? Number.NaN,
        interactiveMs: marks.interactiveMs ?? Number.NaN,
        ...scroll,
      });
    }
    await context.close();
  }
  await browser.close();
  return loads;
}

/** Runs in the page before anything else of it. */
function watchTable(): void {
  const marks: Marks = { tablePaintMs: null, interactiveMs: null };
  Object.assign(globalThis, { marks });
  const look = () => {
    const row = document.querySelector("tbody tr[data-key]");
    if (marks.tablePaintMs === null && row !== null && (row.textContent ?? "") !== "") {
      // The frame that holds the row has been drawn when the next one begins.
      requestAnimationFrame((drawnAt) => {
        marks.tablePaintMs ??= drawnAt;
      });
    }
    if (row !== null && Object.keys(row).some((name) => name.startsWith("__reactFiber"))) {
      marks.interactiveMs ??= performance.now();
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Runs in the page: jumps to its end and waits for the last row. */
async function scrollToEnd(): Promise<{ scrollMs: number; rowsMost: number }> {
  const rows = () => [...document.querySelectorAll<HTMLElement>("tbody tr[data-index]")];
  const atStart = rows().length;
  const total =
    Number(document.querySelector("table[aria-rowcount]")?.getAttribute("aria-rowcount") ?? 1) - 1;
  const startedAt = performance.now();
  while (performance.now() - startedAt < 10_000) {
    window.scrollTo(0, document.documentElement.scrollHeight);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (rows().at(-1)?.dataset.index === String(total - 1)) {
      return { scrollMs: performance.now() - startedAt, rowsMost: Math.max(atStart, rows().length) };
    }
  }
  throw new Error(`the last of ${total} rows was not drawn within 10 s of scrolling`);
}

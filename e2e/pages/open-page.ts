import type { Page, Response } from "@playwright/test";

/**
 * Goes to an address and waits until the page listens: what is drawn on the server looks ready a moment before its
 * buttons are.
 */
export async function openPage(page: Page, url: string): Promise<Response | null> {
  const response = await page.goto(url);
  await untilListening(page);
  return response;
}

/** React leaves a mark of its own on each element that it has taken over. */
export async function untilListening(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const heading = document.querySelector("h1");
    return heading !== null && Object.keys(heading).some((key) => key.startsWith("__react"));
  });
}

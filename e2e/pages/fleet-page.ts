import type { Locator, Page } from "@playwright/test";
import { openPage } from "./open-page.ts";

/** The first page: what changed, and the clusters, worst first. */
export class FleetPage {
  readonly page: Page;
  readonly changes: Locator;
  readonly clusters: Locator;

  constructor(page: Page) {
    this.page = page;
    this.changes = page.getByRole("region", { name: "Changed since your last review" });
    this.clusters = page.getByRole("region", { name: "Clusters, worst first" });
  }

  async open(url: string, search = ""): Promise<void> {
    await openPage(this.page, `${url}/${search}`);
  }

  /** The row of one cluster, found by the link with its name. */
  row(name: string): Locator {
    return this.rows().filter({ has: this.page.getByRole("link", { name, exact: true }) });
  }

  /** Rows of clusters, without the heads and the row of sums. */
  rows(): Locator {
    return this.clusters
      .getByRole("row")
      .filter({ has: this.page.getByRole("link", { name: /^Fairness of / }) });
  }

  /** Rows of changes. */
  changeRows(): Locator {
    return this.changes
      .getByRole("row")
      .filter({ has: this.page.getByRole("button", { name: /^(?:Acknowledge|Undo)/ }) });
  }

  /** Names of the clusters in the order of the page. */
  async names(): Promise<readonly string[]> {
    const labels = await this.rows()
      .getByRole("link", { name: /^Fairness of / })
      .evaluateAll((links) => links.map((link) => link.getAttribute("aria-label") ?? ""));
    return labels.map((label) => /^Fairness of (.+): /.exec(label)?.[1] ?? label);
  }
}

import type { Locator, Page } from "@playwright/test";
import { openPage } from "./open-page.ts";

export type ClusterTab = "" | "/fan-out" | "/fairness" | "/history";

/** The pages of one cluster. */
export class ClusterPage {
  readonly page: Page;
  readonly main: Locator;

  constructor(page: Page) {
    this.page = page;
    this.main = page.getByRole("main");
  }

  async open(url: string, clusterId: string, tab: ClusterTab = "", search = ""): Promise<void> {
    await openPage(this.page, `${url}/clusters/${encodeURIComponent(clusterId)}${tab}${search}`);
  }

  panel(title: string | RegExp): Locator {
    return this.page.getByRole("region", { name: title, exact: true });
  }

  /** A row of the collector's table by the name of the part: `API servers`. */
  part(title: string): Locator {
    return this.page
      .getByRole("table", { name: "Collector, part by part" })
      .getByRole("row")
      .filter({ has: this.page.getByRole("rowheader", { name: title, exact: true }) });
  }

  /** A row of a table by the text of its first cell. */
  rowOf(table: string | RegExp, first: string): Locator {
    return this.page
      .getByRole("table", { name: table })
      .getByRole("row")
      .filter({ has: this.page.locator(`th, td`).first().getByText(first, { exact: true }) });
  }
}

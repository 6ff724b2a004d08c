import type { Locator, Page } from "@playwright/test";
import { openPage } from "./open-page.ts";

/** Settings → clusters: what is read, and adding more. */
export class SettingsPage {
  readonly page: Page;
  readonly targets: Locator;
  readonly addPanel: Locator;
  readonly path: Locator;
  readonly context: Locator;

  constructor(page: Page) {
    this.page = page;
    this.targets = page.getByRole("region", { name: "Clusters", exact: true });
    this.addPanel = page.getByRole("region", { name: "Add a cluster" });
    this.path = this.addPanel.getByRole("textbox", { name: "Kubeconfig, a path on this server" });
    this.context = this.addPanel.getByRole("textbox", { name: "Context" });
  }

  async open(url: string): Promise<void> {
    await openPage(this.page, `${url}/settings/clusters`);
  }

  /** Rows of connections to one cluster. */
  target(name: string): Locator {
    return this.targets.getByRole("row").filter({ has: this.page.getByRole("link", { name, exact: true }) });
  }

  async fill(path: string, context: string): Promise<void> {
    await this.path.fill(path);
    await this.context.fill(context);
  }

  async test(path: string, context: string): Promise<void> {
    await this.fill(path, context);
    await this.addPanel.getByRole("button", { name: "Test connection" }).click();
  }
}

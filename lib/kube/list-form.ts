/** How to ask for a LIST, and why so. */
export interface ListForm {
  /** Page size, or null for no limit. */
  readonly limit: number | null;
  /** `""` for the most recent, `"0"` for any age. */
  readonly resourceVersion: "" | "0";
  readonly resourceVersionMatch: "NotOlderThan" | null;
  /** Where the first page is served. */
  readonly firstPageFrom: "cache" | "etcd";
  /** Where the pages after it are served. */
  readonly nextPagesFrom: "cache" | "etcd" | "snapshot";
  /** One sentence with the rule of the version. */
  readonly why: string;
}

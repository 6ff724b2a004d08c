import type { FairnessPart } from "../fairness/fairness-part.ts";
import type { InventoryPart } from "./inventory-part.ts";
import type { ServersPart } from "./servers-part.ts";
import type { SizesPart, VersionPart } from "./version-part.ts";

/** What each part holds when it was read. */
export interface PartValues {
  readonly version: VersionPart;
  readonly servers: ServersPart;
  readonly sizes: SizesPart;
  readonly fairness: FairnessPart;
  readonly inventory: InventoryPart;
}

/** A real control plane on loopback for tests. See README.md. */
export type { ApiServer } from "./api-servers.ts";
export { type Availability, skipLine, TestBedUnavailableError } from "./availability.ts";
export { type Binaries, chosenVersions, findBinaries } from "./binaries.ts";
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
export type { Relay } from "./relay.ts";
export type { DaemonSetSeed, SeedPlan, SeedReport } from "./seed.ts";

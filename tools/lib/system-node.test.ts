import { expect, it } from "vitest";
import { canInstallNode, isNewEnough, tooOldMessage } from "./system-node.mjs";

it.each([
  ["v20.20.2", false],
  ["v22.18.0", false],
  ["v22.19.0", true],
  ["v23.0.0", true],
  ["v24.21.0", true],
])("takes %s as new enough: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

it.each([
  [{ platform: "linux", arch: "x64", hasGlibc: true }, true],
  [{ platform: "linux", arch: "x64", hasGlibc: false }, false],
  [{ platform: "linux", arch: "arm64", hasGlibc: true }, false],
  [{ platform: "darwin", arch: "arm64", hasGlibc: false }, false],
])("knows where the Node from npm runs: %o", (machine, expected) => {
  expect(canInstallNode(machine)).toBe(expected);
});

it("says in one sentence which Node is needed where none can be installed", () => {
  const message = tooOldMessage("v20.1.0", { platform: "darwin", arch: "arm64", hasGlibc: false });
  expect(message).toBe(
    "Headroom needs Node 22.19 or later, and this is v20.1.0 on darwin-arm64; install a newer one and run the command again.",
  );
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chosenVersions, findBinaries, missingComponents } from "./binaries.ts";
import { cacheDirectory } from "./cache-directory.ts";
import { findGo } from "./go-toolchain.ts";
import { kubernetesGoMod, recipesFor } from "./recipes.ts";
import { resolveVersion, resolveVersions } from "./versions.ts";

describe("versions", () => {
  it.each([
    ["1.33", "1.33.13"],
    ["v1.37", "1.37.2"],
    ["1.35.1", "1.35.1"],
  ])("%s means %s", (text, version) => expect(resolveVersion(text)).toBe(version));

  it.each(["1.12", "latest", "", "1.33.x"])("%j is refused with what would be accepted", (text) => {
    expect(() => resolveVersion(text)).toThrow(/1\.33.*1\.37/);
  });

  it("a list names each version once; an empty one means the newest", () => {
    expect(resolveVersions("1.33, 1.37,1.33.13")).toEqual(["1.33.13", "1.37.2"]);
    expect(resolveVersions("")).toEqual(["1.37.2"]);
    expect(chosenVersions({})).toEqual(["1.37.2"]);
    expect(chosenVersions({ HEADROOM_TESTBED_VERSIONS: "1.33" })).toEqual(["1.33.13"]);
  });
});

describe("go.mod of a Kubernetes version", () => {
  const upstream = [
    "module k8s.io/kubernetes",
    "go 1.26.0",
    "require (",
    "\tk8s.io/klog/v2 v2.140.0",
    "\tk8s.io/api v0.0.0",
    "\tk8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad",
    "\tk8s.io/kms v0.0.0 // indirect",
    ")",
  ].join("\n");

  it("replaces the staging modules alone, whose version ends after v0.0.0", () => {
    const goMod = kubernetesGoMod("1.37.2", upstream);
    expect(goMod).toContain("\ngo 1.26.0\n");
    expect(goMod).toContain("require k8s.io/kubernetes v1.37.2\n");
    expect(goMod).toContain("\tk8s.io/api v0.0.0\n");
    expect(goMod).not.toContain("kube-openapi");
    expect(goMod.match(/=>.*/g)).toEqual(["=> k8s.io/api v0.37.2", "=> k8s.io/kms v0.37.2"]);
  });

  it("refuses a go.mod in which it finds none", () => {
    expect(() => kubernetesGoMod("1.37.2", "module x\n\ngo 1.26\n")).toThrow(/not of the known shape/);
  });
});

describe("cache", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "headroom-cache-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it("is the user's, and can be moved", () => {
    expect(cacheDirectory({ HEADROOM_CACHE: "/a", XDG_CACHE_HOME: "/b", HOME: "/c" })).toBe("/a/testbed");
    expect(cacheDirectory({ XDG_CACHE_HOME: "/b", HOME: "/c" })).toBe("/b/headroom/testbed");
    expect(cacheDirectory({ HOME: "/c" })).toBe("/c/.cache/headroom/testbed");
  });

  it("keeps versions apart and shares what does not depend on them", () => {
    const [old, young] = [recipesFor("1.33.13", "/c"), recipesFor("1.37.2", "/c")];
    expect(old["kube-apiserver"].binaryPath).not.toBe(young["kube-apiserver"].binaryPath);
    expect(old.etcd.binaryPath).toBe(young.etcd.binaryPath);
  });

  it("says of an empty cache what is missing and how to get it", () => {
    const env = { HEADROOM_CACHE: directory };
    const found = findBinaries("1.33", env);
    expect(found).toMatchObject({
      available: false,
      howToGet: expect.stringContaining("--versions 1.33.13"),
    });
    expect(missingComponents("1.33", env)).toHaveLength(7);
  });

  it("takes etcd and kube-apiserver from KUBEBUILDER_ASSETS for the version found there", () => {
    for (const name of ["etcd", "kube-apiserver"]) {
      writeFileSync(join(directory, name), "#!/bin/sh\necho Kubernetes v1.36.3\n", { mode: 0o755 });
    }
    const env = { HEADROOM_CACHE: join(directory, "empty"), KUBEBUILDER_ASSETS: directory };
    expect(chosenVersions(env)).toEqual(["1.36.3"]);
    const found = findBinaries("1.36", env);
    expect(found).toMatchObject({
      available: true,
      value: { version: "1.36.3", fromAssets: true, seed: null },
    });
    expect(missingComponents("1.36", env)).toEqual([
      "seed",
      "storm",
      "kube-controller-manager",
      "kube-scheduler",
      "kwok",
    ]);
    expect(findBinaries("1.33", env).available).toBe(false);
  });
});

describe("Go toolchain", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "headroom-go-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const pretend = (version: string) =>
    writeFileSync(join(directory, "go"), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });

  const only = () => ({ HEADROOM_TESTBED_GO: join(directory, "go"), NODE_ENV: "test" as const });

  it("1.26 and newer is used", () => {
    pretend("go1.27rc1");
    expect(findGo(only())).toMatchObject({
      available: true,
      value: { version: "go1.27rc1" },
    });
  });

  it("an older one counts as absent, and that is said", () => {
    pretend("go1.25.9");
    expect(findGo(only())).toMatchObject({
      available: false,
      because: "the installed Go (go1.25.9) is older than 1.26",
      howToGet: expect.stringContaining("go.dev/dl"),
    });
  });

  it("none at all is said too", () => {
    expect(findGo(only())).toMatchObject({
      available: false,
      because: "Go is not installed",
    });
  });
});

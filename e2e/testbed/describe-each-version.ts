import { describe, it } from "vitest";
import { skipLine } from "./availability.ts";
import { type Binaries, chosenVersions, findBinaries } from "./binaries.ts";

type Need = "seed" | "storm" | "kubeControllerManager" | "kubeScheduler" | "kwok";

/**
 * A suite for each chosen version. Where binaries are missing the suite is skipped, with the reason in its
 * title and on standard error. `needs` names what the suite uses beyond etcd and kube-apiserver.
 */
export function describeEachVersion(
  title: string,
  needs: readonly Need[],
  suite: (version: string, binaries: Binaries) => void,
): void {
  for (const version of chosenVersions()) {
    const found = findBinaries(version);
    const lacking = found.available ? needs.filter((need) => found.value[need] === null) : [];
    if (found.available && lacking.length === 0) {
      describe(`${title}, Kubernetes ${found.value.version}`, () => suite(found.value.version, found.value));
      continue;
    }
    const line = skipLine(
      found.available
        ? { because: `${lacking.join(" and ")} not built`, howToGet: "run node e2e/testbed/build.ts" }
        : found,
    );
    console.warn(`skipped: ${title}, Kubernetes ${version}: ${line}`);
    describe(`${title}, Kubernetes ${version}`, () => it.skip(line, () => undefined));
  }
}

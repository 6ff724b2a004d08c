import { expect, test } from "vitest";
import { fitDaemonPod, type Taint, type Toleration } from "./daemonset-fit.ts";
import { countsFromStatus } from "./daemonset-status.ts";

const node = "node.kubernetes.io/";
const fits = (taints: readonly Taint[], tolerations: readonly Toleration[] = [], isHostNetwork = false) => {
  const { shouldRun, shouldContinueRunning } = fitDaemonPod({
    isSelected: true,
    taints,
    tolerations,
    isHostNetwork,
  });
  return [shouldRun, shouldContinueRunning];
};

test.each<[string, Taint, readonly boolean[]]>([
  ["a cordoned node", { key: `${node}unschedulable`, effect: "NoSchedule" }, [true, true]],
  ["a node that is not ready", { key: `${node}not-ready`, effect: "NoExecute" }, [true, true]],
  ["a node that is unreachable", { key: `${node}unreachable`, effect: "NoExecute" }, [true, true]],
  ["a node under memory pressure", { key: `${node}memory-pressure`, effect: "NoSchedule" }, [true, true]],
  ["no network", { key: `${node}network-unavailable`, effect: "NoSchedule" }, [false, true]],
  ["not ready, from scheduling", { key: `${node}not-ready`, effect: "NoSchedule" }, [false, true]],
  ["a taint of one's own", { key: "gpu", value: "yes", effect: "NoSchedule" }, [false, true]],
  ["one that evicts", { key: "gpu", value: "yes", effect: "NoExecute" }, [false, false]],
  ["one that only prefers", { key: "gpu", value: "yes", effect: "PreferNoSchedule" }, [true, true]],
])("%s: runs, and stays: %j", (_title, taint, expected) => {
  expect(fits([taint])).toEqual(expected);
});

test("the host's network is there before the node's", () => {
  expect(fits([{ key: `${node}network-unavailable`, effect: "NoSchedule" }], [], true)).toEqual([true, true]);
});

test.each<[Toleration, boolean]>([
  [{ operator: "Exists" }, true],
  [{ key: "gpu", operator: "Exists" }, true],
  [{ key: "gpu", value: "yes" }, true],
  [{ key: "gpu", operator: "Equal", value: "no" }, false],
  [{ key: "gpu", operator: "Exists", effect: "NoExecute" }, false],
  [{ key: "cpu", operator: "Exists" }, false],
  [{ key: "gpu", operator: "Gt", value: "1" }, false],
])("%j tolerates gpu=yes:NoSchedule: %s", (toleration, expected) => {
  expect(fits([{ key: "gpu", value: "yes", effect: "NoSchedule" }], [toleration])[0]).toBe(expected);
});

test("a node that is not selected runs none, and keeps none", () => {
  const nowhere = { isSelected: false, taints: [], tolerations: [], isHostNetwork: false };
  expect(fitDaemonPod(nowhere)).toEqual({ shouldRun: false, shouldContinueRunning: false });
});

test.each([
  [{ desiredNumberScheduled: 50, currentNumberScheduled: 48, numberUnavailable: 5 }, 2, 3, false],
  [{ desiredNumberScheduled: 50, currentNumberScheduled: 50 }, 0, 0, false],
  [
    {
      desiredNumberScheduled: 50,
      currentNumberScheduled: 52,
      numberUnavailable: 60,
      updatedNumberScheduled: 3,
    },
    0,
    50,
    true,
  ],
  [{ desiredNumberScheduled: 0, currentNumberScheduled: 3 }, 0, 0, false],
])("%j: %i empty, %i not available, mid-update %s", (status, empty, unavailable, isMidUpdate) => {
  expect(countsFromStatus(status)).toEqual({
    desired: status.desiredNumberScheduled,
    empty,
    unavailable,
    isMidUpdate,
  });
});

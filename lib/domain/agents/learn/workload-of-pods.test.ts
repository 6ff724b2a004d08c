import { expect, test } from "vitest";
import { guessWorkload } from "./workload-of-pods.ts";

test.each([
  ["node-telemetry-mk2vq", null, "DaemonSet/node-telemetry"],
  ["coredns-7d9f6c4b58-mk2vq", null, "Deployment/coredns"],
  ["my-app-v2-66b7c4d9fc-2xk7d", null, "Deployment/my-app-v2"],
  ["prometheus-0", null, "StatefulSet/prometheus"],
  ["etcd-master-1", "master-1", "StaticPod/etcd"],
  ["backup-28393939-mk2vq", null, null],
  ["just-a-pod", null, null],
  ["pod", null, null],
  ["-master-1", "master-1", "StatefulSet/-master"],
])("the pod %s on node %s points to %s", (podName, nodeName, expected) => {
  const guess = guessWorkload(podName, nodeName);
  expect(guess === null ? null : `${guess.kind}/${guess.name}`).toBe(expected);
});

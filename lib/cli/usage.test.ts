import { describe, expect, test } from "vitest";
import { headroom } from "./test-support/headroom.ts";

describe("wrong usage ends with 2 and a sentence that says what was expected", () => {
  const version = ["--kubernetes-version", "1.36"];
  const match = ["fairness", "match", ...version, "--user", "a"];
  test.each([
    ["no version", ["seats", "--path", "/api/v1/pods"], "Missing --kubernetes-version"],
    ["no version that is one", ["seats", "--kubernetes-version", "latest"], "such as 1.36"],
    ["a path without a slash", ["seats", ...version, "--path", "api/v1/pods"], "begins with /"],
    [
      "a negative count",
      ["seats", ...version, "--path", "/a", "--objects", "-1"],
      "whole number of at least 0",
    ],
    [
      "an unknown level",
      ["seats", ...version, "--path", "/a", "--priority-level", "x"],
      "expected one of the default levels",
    ],
    [
      "a gate without a value",
      ["seats", ...version, "--path", "/a", "--feature-gate", "WatchList"],
      "NAME=true",
    ],
    [
      "no request",
      ["fairness", "match", ...version, "--user", "a"],
      "Missing --verb and --resource, or --path",
    ],
    [
      "a LIST as an HTTP method",
      ["fairness", "match", ...version, "--user", "a", "--method", "LIST", "--path", "/api/v1/pods"],
      "expected GET of the collection",
    ],
    [
      "an account without its namespace",
      ["fairness", "match", ...version, "--service-account", "agent", "--path", "/a"],
      "expected NAMESPACE/NAME",
    ],
    [
      "an account and a user",
      ["fairness", "match", ...version, "--service-account", "a/b", "--user", "c", "--path", "/a"],
      "expected one of the two",
    ],
    [
      "a verb that is none",
      ["fairness", "match", ...version, "--user", "a", "--verb", "read", "--resource", "pods"],
      "expected one of list, watch, get",
    ],
    ["no user", ["fairness", "match", ...version, "--path", "/a"], "Missing --user"],
    [
      "get without a name",
      ["fairness", "match", ...version, "--user", "a", "--verb", "get", "--resource", "pods"],
      "--name",
    ],
    [
      "a file that is not there",
      ["fairness", "match", ...version, "--user", "a", "--path", "/a", "--flow-schemas", "/nowhere"],
      "/nowhere: this file does not exist",
    ],
    [
      "a demand of no level",
      ["fairness", "limits", ...version, "--demand", "nobody=3"],
      "expected one of the levels",
    ],
    ["a wave without a level", ["fairness", "replay", "--requests", "3"], "--queues"],
    [
      "a hand larger than the queues",
      [
        "fairness",
        "replay",
        "--queues",
        "2",
        "--hand-size",
        "3",
        "--queue-length-limit",
        "1",
        "--concurrency-limit",
        "1",
        "--requests",
        "1",
      ],
      "config",
    ],
    ["no nodes", ["rollout", "plan", ...version], "Missing --nodes"],
    [
      "more unavailable than nodes",
      ["rollout", "plan", ...version, "--nodes", "3", "--unavailable", "4"],
      "expected at most 3",
    ],
    [
      "both limits",
      ["rollout", "plan", ...version, "--nodes", "3", "--max-unavailable", "1", "--max-surge", "1"],
      "--max-surge: expected 0",
    ],
    [
      "a percentage above 100",
      ["rollout", "plan", ...version, "--nodes", "3", "--max-unavailable", "101%"],
      "0% to 100%",
    ],
    [
      "Recreate for a DaemonSet",
      ["rollout", "plan", ...version, "--nodes", "3", "--strategy", "Recreate"],
      "--strategy",
    ],
    [
      "more nodes than are held",
      ["rollout", "plan", ...version, "--nodes", "999999999999"],
      "at most 200000",
    ],
    [
      "a count that is not written as one",
      ["rollout", "plan", ...version, "--nodes", "0x10"],
      "whole number",
    ],
    [
      "more replicas than are held",
      ["rollout", "plan", ...version, "--kind", "Deployment", "--replicas", "9007199254740991"],
      "at most 200000",
    ],
    [
      "a rate beyond any",
      ["rollout", "plan", ...version, "--nodes", "1", "--qps", "1e300"],
      "at most 1000000",
    ],
    [
      "a time beyond what is kept to the nanosecond",
      ["rollout", "plan", ...version, "--nodes", "1", "--pull-seconds", "1e300"],
      "at most 1000000",
    ],
    [
      "a demand of a name that every object has",
      ["fairness", "limits", ...version, "--demand", "constructor=3"],
      "expected one of the levels",
    ],
    [
      "more periods than are shown",
      ["fairness", "limits", ...version, "--demand", "system=3", "--periods", "999999999999"],
      "at most 10000",
    ],
    [
      "more queues than are held",
      [
        ...["fairness", "replay", "--queues", "60000000", "--hand-size", "2", "--queue-length-limit", "1"],
        ...["--concurrency-limit", "1", "--requests", "1"],
      ],
      "at most 1000000",
    ],
    [
      "a LIST of a subresource",
      [...match, "--verb", "list", "--resource", "pods", "--subresource", "status"],
      "--resource: a subresource is of one object",
    ],
    [
      "a subresource of nothing",
      [...match, "--verb", "create", "--resource", "pods/binding"],
      "--name: needed here",
    ],
    [
      "a name of two parts",
      [...match, "--verb", "get", "--resource", "pods", "--name", "a/b"],
      "--name: expected one name",
    ],
    ["no plural", [...match, "--verb", "list", "--resource", "Pods"], "--resource: expected a plural"],
    [
      "two groups",
      [...match, "--verb", "list", "--resource", "deployments.apps", "--api-group", "batch"],
      "--api-group: --resource names the group apps already",
    ],
    [
      "two subresources",
      [...match, ...["--verb", "get", "--resource", "pods/log", "--subresource", "exec", "--name", "p"]],
      "--subresource: --resource names the subresource log already",
    ],
    [
      "a path and a part of one",
      ["fairness", "match", ...version, "--user", "a", "--path", "/api/v1/pods", "--namespace", "x"],
      "--namespace: not beside --path",
    ],
    [
      "a scenario and a wave",
      ["fairness", "replay", "--scenario", "/nowhere", "--queues", "4", "--seats", "2"],
      "--queues, --seats: not beside --scenario",
    ],
    [
      "periods of no demand",
      ["fairness", "limits", ...version, "--periods", "3"],
      "--periods: only with --demand",
    ],
    [
      "nodes of a Deployment",
      ["rollout", "plan", ...version, "--kind", "Deployment", "--replicas", "3", "--nodes", "3"],
      "--nodes: not of a Deployment",
    ],
    [
      "a surge of a StatefulSet",
      ["rollout", "plan", ...version, "--kind", "StatefulSet", "--replicas", "3", "--max-surge", "1"],
      "--max-surge: not of a StatefulSet",
    ],
    [
      "a partition of a DaemonSet",
      ["rollout", "plan", ...version, "--nodes", "3", "--partition", "1"],
      "--partition: not of a DaemonSet",
    ],
    [
      "how long healthy pods run",
      ["rollout", "plan", ...version, "--nodes", "3", "--run-seconds", "1"],
      "--run-seconds: only with --new-pods crash-loop",
    ],
    ["no such command", ["fairness", "guess"], "guess"],
  ])("%s", async (_title, args, says) => {
    const { code, out, err } = await headroom(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(says);
    expect(err).not.toContain("    at ");
  });
});

/** The examples of a command's help, as a shell reads them. */
function examplesIn(help: string): readonly { readonly input: string; readonly args: readonly string[] }[] {
  const lines = help.slice(help.indexOf("\nExamples:")).split("\n");
  return lines.flatMap((line) => {
    const [, input = "", command = ""] =
      /^ {2}(?:echo '(.*)' \| |kubectl .* \| )?headroom (.*)$/.exec(line) ?? [];
    const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
    return args.length === 0 ? [] : [{ input, args }];
  });
}

describe("examples of the help are whole lines that can be pasted, and are answered", () => {
  test.each([["seats"], ["fairness match"], ["fairness limits"], ["fairness replay"], ["rollout plan"]])(
    "%s",
    async (command) => {
      const { out } = await headroom([...command.split(" "), "--help"]);
      const examples = examplesIn(out);
      expect(examples.length).toBeGreaterThanOrEqual(4);
      expect(examples.some(({ args }) => args.includes("--input"))).toBe(true);
      // What reads files of the reader's own, or asks kubectl, is left out.
      const answered = examples.filter(
        ({ input, args }) =>
          !args.some((arg) => /\.(?:yaml|json)$/.test(arg)) && (input !== "" || !args.includes("-")),
      );
      expect(answered.length).toBeGreaterThanOrEqual(3);
      for (const { input, args } of answered) {
        const { code, err } = await headroom(args, input === "" ? undefined : `${input}\n`);
        expect([code, err], args.join(" ")).toEqual([0, ""]);
      }
    },
  );
});

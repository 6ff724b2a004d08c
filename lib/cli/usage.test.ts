import { describe, expect, test } from "vitest";
import { headroom } from "./test-support/headroom.ts";

describe("wrong usage ends with 2 and a sentence that says what was expected", () => {
  const version = ["--kubernetes-version", "1.36"];
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
      "expected one of get, list, watch",
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

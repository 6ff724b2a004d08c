import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDocument, stringify } from "yaml";
import { NOT_PLAIN, parsePlainYaml } from "./plain-yaml.ts";

/** What the whole parser reads; `FAULT` where it finds one. */
const FAULT = Symbol("fault");
function whole(text: string): unknown {
  const document = parseDocument(text, { logLevel: "silent" });
  return document.errors.length > 0 ? FAULT : document.toJS({ maxAliasCount: 100 });
}

function agrees(text: string): boolean {
  const plain = parsePlainYaml(text);
  if (plain === NOT_PLAIN) return false;
  expect({ text, value: plain }).toEqual({ text, value: whole(text) });
  return true;
}

const MANIFEST = `# Source: agent/templates/daemonset.yaml
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent # the agent
  namespace: "agents"
  labels:
    app.kubernetes.io/name: agent
    "app.kubernetes.io/version": '1.2.3'
  annotations: {}
spec:
  minReadySeconds: 10
  revisionHistoryLimit: 0.5
  selector:
    matchLabels: {app: agent}
  updateStrategy:
    rollingUpdate:
      maxUnavailable: 10%
  template:
    spec:
      hostNetwork: true
      nodeName: ~
      tolerations:
      - operator: Exists
      - key: 'it''s'
        effect: NoSchedule
      containers:
        - name: main
          image: registry.example.com/agent:1.0.0
          args:
            - --flag=value
            - "--quoted=\\"x\\"\\n"
            - -c
            -
              nested: yes
          command: ["sh", "-c"]
          env: []
          ports:
          - containerPort: 8080
            protocol:
      empty:
---`.replace(/\n---$/, "\n");

const SCRIPT = `kind: ConfigMap
data:
  keep: |+
    one

  strip: |-
    # no comment
      indented

    last
  clip: |
    a: b

  next: end
`;

describe("what it reads", () => {
  test.each([
    ["a manifest without its list in braces", MANIFEST.replace("{app: agent}", "{}")],
    ["literal blocks", SCRIPT],
    ["a document after its marker", "--- # first\na: 1\n"],
    ["a sequence at the margin", "- a\n- b: 1\n  c: 2\n-\n- d\n"],
    ["a sequence no deeper than its name", "a:\n- 1\n- 2\nb: 3\n"],
    ["nothing", "\n# nothing\n\n"],
    [
      "texts that look like something else",
      "a: 1.2.3\nb: yes\nc: 2026-01-01\nd: a:b\ne: -\u00e9\nf: x#y\ng: 10Mi\nh: 5%\n",
    ],
    ["numbers", "a: 0\nb: -12\nc: 3.25\nd: 007x\n"],
  ])("%s", (_, text) => {
    expect(agrees(text)).toBe(true);
  });
});

describe("what it leaves to the whole parser", () => {
  test.each([
    "a: &x 1\nb: *x\n",
    "a: !!str 1\n",
    "a: >\n  folded\n",
    "a: |2\n   x\n",
    "a: one\n  two\n",
    'a: "one\n  two"\n',
    "a: {b: 1}\n",
    "a: [1, 2]\n",
    "a: [b, [c]]\n",
    "? a\n: b\n",
    "a: 1\na: 2\n",
    "a: b: c\n",
    "a:\n\t- 1\n",
    "a: 0x1F\n",
    "a: 1e3\n",
    "a: 0777\n",
    "a: .inf\n",
    "1: a\n",
    "true: a\n",
    "__proto__: a\n",
    "<<: {a: 1}\n",
    "- - a\n",
    "a: 1\n b: 2\n",
    "a:\n    b: 1\n  c: 2\n",
    "text alone\n",
    "a: @b\n",
    "a: 'open\n",
    "a: b\n...\n",
    "%YAML 1.2\n---\na: b\n",
    "a: |\n\n     \n  x\n",
    "a: |\n  x\n y: 1\n",
  ])("%j", (text) => {
    expect(parsePlainYaml(text)).toBe(NOT_PLAIN);
  });
});

const scalar = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    "true",
    "null",
    "~",
    "1",
    "1.0",
    "0x1",
    "- a",
    "a: b",
    "a #b",
    "#",
    "'",
    '"',
    "|",
    "x\ny",
    " lead",
    "tail ",
    "*",
    "&a",
    "12e3",
    "0o7",
    ".5",
    "+1",
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_./-]{0,8}$/), tie("node"), { maxKeys: 4 }),
  ),
})).node;

test("random documents: what it reads is what the whole parser reads", () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), value, { maxKeys: 5 }),
      fc.boolean(),
      (given, indentSeq) => {
        if (agrees(stringify(given, { indentSeq, lineWidth: 0 }))) read++;
      },
    ),
    { numRuns: 1000, seed: 20_261_130 },
  );
  expect(read).toBeGreaterThan(100);
});

test("damaged documents: it reads no fault", () => {
  let read = 0;
  const insertion = fc.constantFrom(
    " ",
    "  ",
    "-",
    "- ",
    ":",
    ": ",
    "#",
    " #",
    "'",
    '"',
    "|",
    ">",
    "[",
    "]",
    "{",
    "}",
    "\n",
    "\n  ",
    "\t",
    "&",
    "*",
    "!",
    "%",
    "0",
    "e",
    ",",
    "\\",
    "...\n",
    "---\n",
  );
  const texts = [MANIFEST.replace("{app: agent}", "{}"), SCRIPT];
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(fc.tuple(fc.nat(1200), fc.nat(6), insertion), { minLength: 1, maxLength: 4 }),
      (text, edits) => {
        let damaged = text;
        for (const [at, removed, inserted] of edits) {
          const place = at % damaged.length;
          damaged = damaged.slice(0, place) + inserted + damaged.slice(place + removed);
        }
        if (agrees(damaged)) read++;
      },
    ),
    { numRuns: 1500, seed: 42 },
  );
  expect(read).toBeGreaterThan(100);
});

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../rollout/seeded-random.ts";
import type { AuditEvent } from "../audit-event.ts";
import { AuditEventParser } from "./audit-event-parser.ts";
import { EVENT_START, isAuditEvent, parseAuditEvent } from "./parse-audit-event.ts";

const HEAD = {
  kind: "Event",
  apiVersion: "audit.k8s.io/v1",
  level: "RequestResponse",
  auditID: "8f4c1a7e-2b90-4b3d-9d6a-1c0f5b7e4a11",
  stage: "ResponseComplete",
  requestURI: "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1&limit=500&resourceVersion=0",
  verb: "list",
  user: {
    username: "system:serviceaccount:logging:shipper",
    uid: "1",
    groups: ["system:serviceaccounts", "system:authenticated"],
    extra: {
      "authentication.kubernetes.io/pod-name": ["shipper-mk2vq"],
      "authentication.kubernetes.io/node-name": ["node-1"],
      "example.com/token": ["must not be kept"],
    },
  },
  sourceIPs: ["192.0.2.7"],
  userAgent: "shipper/v2.1.0 (linux/amd64) kubernetes/$Format",
  objectRef: { resource: "pods", apiVersion: "v1" },
  responseStatus: { metadata: {}, code: 200 },
};
const TAIL = {
  requestReceivedTimestamp: "2026-03-02T09:00:00.000400Z",
  stageTimestamp: "2026-03-02T09:00:01.250000Z",
  annotations: { "authorization.k8s.io/decision": "allow", "apiserver.latency.k8s.io/total": "1.2496s" },
};
const longBody = { text: "x".repeat(4000) };

/** As Go's encoder writes it, `&` included. */
const write = (value: unknown): string => JSON.stringify(value).replaceAll("&", "\\u0026");
const parse = (text: string, isItem = false): AuditEvent => {
  const result = parseAuditEvent(text, isItem);
  if (!isAuditEvent(result)) throw new Error(result.problem);
  return result;
};
/** What the event is when every byte of it is parsed. */
const parseWhole = (text: string) => parseAuditEvent(JSON.stringify(JSON.parse(text, dropBodies)));
const parser = new AuditEventParser();
const dropBodies = function (this: unknown, key: string, value: unknown): unknown {
  const isTop = typeof this === "object" && this !== null && "auditID" in this && "stage" in this;
  return isTop && (key === "requestObject" || key === "responseObject") ? undefined : value;
};

describe("an audit event", () => {
  test("gives its fields, the pod and node of its token, and its times to the microsecond", () => {
    expect(parse(write({ ...HEAD, ...TAIL }))).toEqual({
      auditId: HEAD.auditID,
      stage: "ResponseComplete",
      verb: "list",
      requestUri: HEAD.requestURI,
      userName: "system:serviceaccount:logging:shipper",
      userGroups: ["system:serviceaccounts", "system:authenticated"],
      impersonatorName: null,
      podName: "shipper-mk2vq",
      nodeName: "node-1",
      sourceIps: ["192.0.2.7"],
      userAgent: HEAD.userAgent,
      objectRef: {
        apiGroup: "",
        apiVersion: "v1",
        resource: "pods",
        subresource: "",
        namespace: "",
        name: "",
      },
      responseCode: 200,
      responseReason: null,
      receivedAt: Date.UTC(2026, 2, 2, 9, 0, 0) + 0.4,
      stageAt: Date.UTC(2026, 2, 2, 9, 0, 1) + 250,
      latency: {
        totalSeconds: 1.2496,
        queueWaitSeconds: null,
        etcdSeconds: null,
        responseWriteSeconds: null,
      },
    });
  });

  test("counts as made by whom it impersonates, and names who does so", () => {
    const impersonatedUser = { username: "jane", groups: ["ops"], extra: { "x/secret": ["s3cr3t"] } };
    const event = parse(write({ ...HEAD, impersonatedUser, ...TAIL }));
    expect(event).toMatchObject({
      userName: "jane",
      userGroups: ["ops"],
      impersonatorName: "system:serviceaccount:logging:shipper",
      podName: "shipper-mk2vq",
    });
    expect(JSON.stringify(event)).not.toContain("s3cr3t");
  });

  test("keeps nothing of bodies, annotations and what else a user carries", () => {
    const requestObject = { kind: "Secret", data: { password: "aHVudGVyMg==" } };
    for (const body of [requestObject, { ...requestObject, ...longBody }]) {
      const kept = JSON.stringify(
        parse(write({ ...HEAD, requestObject: body, responseObject: body, ...TAIL })),
      );
      expect(kept).not.toContain("aHVudGVyMg");
      expect(kept).not.toContain("must not be kept");
      expect(kept).not.toContain("decision");
    }
  });

  test.each([
    ["v1beta1 is read as v1", write({ ...HEAD, apiVersion: "audit.k8s.io/v1beta1", ...TAIL }), false],
    [
      "an item of a list need not say what it is",
      write({ ...HEAD, kind: undefined, apiVersion: undefined, ...TAIL }),
      true,
    ],
    [
      "keys may come in any order",
      write(Object.fromEntries(Object.entries({ ...HEAD, ...TAIL }).reverse())),
      false,
    ],
    ["blanks may stand everywhere", JSON.stringify({ ...HEAD, ...TAIL }, null, 2), false],
    [
      "keys may be written with escapes",
      write({ ...HEAD, ...TAIL }).replace('"verb"', '"\\u0076erb"'),
      false,
    ],
  ])("%s", (_, text, isItem) => {
    expect(parse(text, isItem)).toMatchObject({
      auditId: HEAD.auditID,
      verb: "list",
      requestUri: HEAD.requestURI,
    });
  });

  test.each([
    ["cut off", write({ ...HEAD, ...TAIL }).slice(0, -1), "not to its end"],
    [
      "another kind of event",
      write({ kind: "Event", apiVersion: "v1", reason: "Killing" }),
      "no audit event",
    ],
    ["a number", "17", "no audit event"],
    ["null", "null", "no audit event"],
    ["an array", "[1]", "no audit event"],
    ["v1alpha1", write({ ...HEAD, apiVersion: "audit.k8s.io/v1alpha1", ...TAIL }), "a version other than"],
    ["an unknown stage", write({ ...HEAD, stage: "Later", ...TAIL }), "without a known stage"],
    ["no auditID", write({ ...HEAD, auditID: 7, ...TAIL }), "without auditID or requestURI"],
    ["text", "not JSON at all", "not JSON"],
    ["nothing", "", "not JSON"],
  ])("%s is refused with a reason that holds nothing of the text", (_, text, reason) => {
    const result = parseAuditEvent(text);
    expect("problem" in result ? result.problem : null).toContain(reason);
  });

  test("fields of another type count as absent", () => {
    const odd = {
      ...HEAD,
      verb: 5,
      user: "root",
      sourceIPs: "10.0.0.1",
      userAgent: null,
      objectRef: [],
      responseStatus: 200,
    };
    expect(parse(write({ ...odd, ...TAIL, stageTimestamp: "soon", annotations: ["a"] }))).toMatchObject({
      verb: "",
      userName: "",
      userGroups: [],
      sourceIps: [],
      userAgent: "",
      objectRef: null,
      responseCode: null,
      stageAt: null,
      latency: null,
    });
  });
});

describe("an event as API servers write it, matched in place of parsed", () => {
  test("is the same, with every field that may be missing missing, and odd values in every field", () => {
    const whole = { ...HEAD, ...TAIL };
    const texts = [
      '"',
      "\\",
      "}",
      "{",
      "]",
      "[",
      "é",
      "🚀",
      "\u2028",
      "a,b",
      "&",
      "<",
      '","verb":"x',
      "",
      "\t",
      "\u0000",
    ];
    const odd: readonly unknown[] = [null, 7, [], {}, true, ["a]b", '"'], { a: { b: ["}"] } }, ...texts];
    const fields = Object.keys(whole);
    let matched = 0;
    const different: string[] = [];
    const check = (value: unknown) => {
      const text = write(value);
      const expected = parseAuditEvent(text);
      const said = JSON.stringify(expected);
      if (JSON.stringify(parser.parse(text)) !== said) different.push(text);
      if (JSON.stringify(parser.parse(`${text}  \r`)) !== said) different.push(text);
      if (isAuditEvent(expected)) matched++;
      for (const cut of [1, 2, 17, text.length - 60]) {
        if (isAuditEvent(parser.parse(text.slice(0, -cut)))) different.push(text.slice(0, -cut));
      }
    };
    for (const field of fields) {
      check(Object.fromEntries(Object.entries(whole).filter(([key]) => key !== field)));
      for (const value of odd) check({ ...whole, [field]: value });
      for (const text of texts) {
        check({
          ...whole,
          user: { ...HEAD.user, [field]: text, username: text, groups: [text], extra: { [text]: [text] } },
        });
        check({
          ...whole,
          objectRef: { ...HEAD.objectRef, name: text },
          annotations: { [text]: text, "apiserver.latency.k8s.io/etcd": "5ms" },
        });
        check({
          ...whole,
          responseStatus: {
            metadata: {},
            status: "Failure",
            message: text,
            reason: text,
            details: { name: text },
            code: 404,
          },
        });
        check({
          ...whole,
          sourceIPs: [text, "1.2.3.4"],
          userAgent: text,
          requestURI: `/api?${text}`,
          auditID: `id${text}`,
        });
      }
    }
    expect(different).toEqual([]);
    expect(matched).toBeGreaterThan(900);
  });

  test("with a second value for a key, or another field behind or between, counts as JSON does", () => {
    const text = write({ ...HEAD, ...TAIL });
    const changed = [
      text.replace(/\}$/, ',"verb":"get"}'),
      text.replace(/\}$/, ',"annotations":{"a":"b"}}'),
      text.replace(',"annotations"', ',"new":{"verb":"x"},"annotations"'),
      text.replace('"username":', '"username":"first","username":'),
      text.replace(',"objectRef"', ',"impersonatedUser":{"username":"jane"},"objectRef"'),
      text.replace('"code":200', '"code":2e2'),
      text.replace('"code":200', '"code":0200'),
      text.replace("audit.k8s.io/v1", "audit.k8s.io/v1beta1"),
    ];
    for (const each of changed) expect(parser.parse(each)).toEqual(parseAuditEvent(each));
  });
});

describe("an event with bodies", () => {
  test("is never read where it is cut off, wherever that is", () => {
    const text = write({
      ...HEAD,
      requestObject: { a: [longBody], b: '\\"' },
      responseObject: longBody,
      ...TAIL,
    });
    for (let end = 0; end < text.length; end += end > 900 && end < text.length - 400 ? 97 : 1) {
      expect(isAuditEvent(parseAuditEvent(text.slice(0, end)))).toBe(false);
    }
  });

  test.each([
    ["an audit event as the body", { ...HEAD, ...TAIL, auditID: "other", ...longBody }],
    [
      "the times as the last key of the body",
      { ...longBody, requestReceivedTimestamp: "1999-01-01T00:00:00Z" },
    ],
    [
      "the marks inside text",
      { ...longBody, a: ',"requestReceivedTimestamp":"1999-01-01T00:00:00Z"},"requestObject":' },
    ],
    ["keys with quotes and backslashes", { ...longBody, 'a\\",\\"responseObject\\":{': { "\\": "\\\\" } }],
    ["brackets in text", { ...longBody, a: "}}}}]]]]{{{{[[[[" }],
    ["text beyond ASCII", { ...longBody, ä: "日本 \u2028 🚀", "\u0000": "\u0007" }],
    ["no object at all", "x".repeat(4000)],
  ])("is the same as when everything is parsed: %s", (_, body) => {
    for (const bodies of [
      { requestObject: body },
      { responseObject: body },
      { requestObject: body, responseObject: body },
    ]) {
      const text = write({ ...HEAD, ...bodies, ...TAIL });
      expect(parseAuditEvent(text)).toEqual(parseWhole(text));
      const noTimes = write({ ...HEAD, ...bodies });
      expect(parseAuditEvent(noTimes)).toEqual(parseWhole(noTimes));
      const reversed = write(Object.fromEntries(Object.entries({ ...HEAD, ...bodies, ...TAIL }).reverse()));
      expect(parseAuditEvent(reversed)).toEqual(parseWhole(reversed));
    }
  });

  test("a mark in the user's extra does not cut the user in two", () => {
    const user = { ...HEAD.user, extra: { z: ["1"], requestObject: ["2"] } };
    const text = write({ ...HEAD, user, requestObject: longBody, ...TAIL });
    expect(parseAuditEvent(text)).toEqual(parseWhole(text));
  });

  test("two events run together on one line are neither of the two", () => {
    const first = write({ ...HEAD, requestObject: longBody, ...TAIL }).slice(0, 3000);
    const second = write({ ...HEAD, auditID: "second", requestObject: longBody, ...TAIL });
    expect(isAuditEvent(parseAuditEvent(first + second))).toBe(false);
    expect(second.startsWith(EVENT_START)).toBe(true);
  });

  test("1,000 bodies out of hostile pieces, cut and whole, are read as when everything is parsed", () => {
    const random = seededRandom(7);
    const pieces = [
      ',"requestObject":',
      ',"responseObject":{',
      ',"requestReceivedTimestamp":"',
      '"',
      "\\",
      "}",
      "{",
      "]",
      "[",
      ":",
      ",",
      "\\u0026",
      "é",
      "🚀",
      "\n",
      '"kind":"Event"',
      EVENT_START,
      '{"a":1}',
      "null",
      "1e9",
      " ",
    ];
    const text = () =>
      Array.from(
        { length: 1 + Math.floor(random() * 12) },
        () => pieces[Math.floor(random() * pieces.length)] ?? "",
      ).join("");
    const value = (depth: number): unknown => {
      const turn = Math.floor(random() * (depth > 3 ? 3 : 6));
      if (turn < 3) return text();
      if (turn === 3) return Array.from({ length: 3 }, () => value(depth + 1));
      return {
        [text()]: value(depth + 1),
        requestReceivedTimestamp: value(depth + 2),
        [text()]: value(depth + 1),
        requestObject: text(),
      };
    };
    let read = 0;
    const different: string[] = [];
    for (let i = 0; i < 1000; i++) {
      const body = { a: value(0), fill: i % 2 === 0 ? "x".repeat(3000) : "" };
      const whole = write({
        ...HEAD,
        requestObject: body,
        ...(i % 3 === 0 ? { responseObject: value(0) } : {}),
        ...TAIL,
      });
      const expected = JSON.stringify(parseWhole(whole));
      if (
        JSON.stringify(parseAuditEvent(whole)) !== expected ||
        JSON.stringify(parser.parse(whole)) !== expected
      )
        different.push(whole);
      read += isAuditEvent(parseAuditEvent(whole)) ? 1 : 0;
      // A stray piece makes JSON invalid: then it is refused, or what is read of the event itself is right.
      const at = Math.floor(random() * whole.length);
      const result = parseAuditEvent(
        whole.slice(0, at) + (pieces[i % pieces.length] ?? "") + whole.slice(at + 1),
      );
      if (isAuditEvent(result) && result.auditId === HEAD.auditID && result.stage !== HEAD.stage)
        different.push(whole);
    }
    expect(read).toBe(1000);
    expect(different).toEqual([]);
  });

  test("a body of brackets 100,000 deep is passed over, and not checked either", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = `${write(HEAD).slice(0, -1)},"requestObject":${deep},${write(TAIL).slice(1)}`;
    expect(parse(text).verb).toBe("list");
    expect(isAuditEvent(parseAuditEvent(text.replace("]]", "]")))).toBe(true);
  });
});

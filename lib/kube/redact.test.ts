import { describe, expect, it } from "vitest";
import { excerpt, redact, withoutUserInfo } from "./redact.ts";

const JWT = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";

describe("redact", () => {
  it.each([
    ["a bearer token", "Authorization: Bearer abcdef123456", "abcdef123456"],
    ["an Authorization value without a scheme", "authorization=abcdef123456", "abcdef123456"],
    ["a JWT anywhere", `the token ${JWT} is expired`, JWT],
    ["user information in a URL", "see https://user:hunter2@host/path", "hunter2"],
    ["a JSON field", '{"token":"abcdef123456"}', "abcdef123456"],
    ["a client secret", "client_secret=hunter2&x=1", "hunter2"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "MIIabc"],
    ["a private key that is cut off", "-----BEGIN PRIVATE KEY-----\nMIIabc", "MIIabc"],
    ["an EKS token", "k8s-aws-v1.aHR0cHM6Ly9zdHM", "aHR0cHM6Ly9zdHM"],
    ["a Google token", "got ya29.a0AfH6SMBx", "a0AfH6SMBx"],
  ])("%s is taken out", (_, text, secret) => {
    expect(text).toContain(secret);
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain("[redacted");
  });

  it("a known secret is taken out whatever it looks like, percent-encoded and base64 too", () => {
    const secret = "pl@nted/value";
    const text = `${secret} ${encodeURIComponent(secret)} ${Buffer.from(secret).toString("base64")}`;
    expect(redact(text, [secret])).toBe("[redacted] [redacted] [redacted]");
  });

  it("plain words stay", () => {
    const text = 'nodes is forbidden: User "system:serviceaccount:a:b" cannot list resource "nodes"';
    expect(redact(text, ["", "abc"])).toBe(text);
  });
});

describe("excerpt", () => {
  it("is one line, cut at the length asked for", () => {
    expect(excerpt("a\r\n\tb\u0007c", [], 100)).toBe("a b c");
    expect(excerpt("x".repeat(1000), [], 10)).toBe(`${"x".repeat(9)}…`);
  });

  it("redacts before it cuts, so that no half of a secret stays", () => {
    expect(excerpt("abc planted-secret-value", ["planted-secret-value"], 12)).not.toContain("planted");
  });
});

describe("long text", () => {
  it("is looked at in linear time, and shows no half of a secret where it is cut", () => {
    const secret = "planted-secret-value";
    for (let pad = 7950; pad <= 8000; pad++) {
      // Everything before shrinks so much that the place of the cut is shown.
      const text = `${`${"q".repeat(99)} `.repeat(pad / 100)}${" ".repeat(pad % 100)}${secret} ${"x".repeat(200_000)}`;
      const shown = excerpt(text, [secret, "q".repeat(99)]);
      expect(shown).not.toMatch(/plant|secret-v/);
    }
  });
});

describe("withoutUserInfo", () => {
  it("drops user and password", () => {
    expect(withoutUserInfo("https://u:p@host:6443/x")).toBe("https://host:6443/x");
    expect(withoutUserInfo("::")).toBe("an unreadable URL");
  });
});

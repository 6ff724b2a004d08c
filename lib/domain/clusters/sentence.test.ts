import { expect, test } from "vitest";
import { asSentence } from "./sentence.ts";

test.each([
  [
    "no answer within 5 s (GET /version at 10.0.0.1:6443)",
    "No answer within 5 s (GET /version at 10.0.0.1:6443).",
  ],
  ["the file names no context.", "The file names no context."],
  ["api-0 is one of 3 API servers", "api-0 is one of 3 API servers."],
  ["/home/me/config:3: expected a list", "/home/me/config:3: expected a list."],
  ["x509: unknown authority", "x509: unknown authority."],
])("%s", (text, sentence) => expect(asSentence(text)).toBe(sentence));

import { expect, test } from "vitest";
import { ParsedTexts } from "./parsed-texts.ts";

function counting(maxKeys?: number) {
  const parsed: string[] = [];
  const texts = new ParsedTexts((text) => {
    parsed.push(text);
    return { length: text.length };
  }, maxKeys);
  return { texts, parsed };
}

test("a text is parsed once per key, for as long as it stays the same", () => {
  const { texts, parsed } = counting();
  const first = texts.get("a", "one");
  expect(texts.get("a", "one")).toBe(first);
  expect(texts.get("a", "three")).toEqual({ length: 5 });
  expect(texts.get("a", "one")).toEqual({ length: 3 });
  expect(parsed).toEqual(["one", "three", "one"]);
});

test("equal texts of two keys are two values", () => {
  const { texts } = counting();
  expect(texts.get("a", "one")).not.toBe(texts.get("b", "one"));
});

test("never more keys are kept than allowed, and what was forgotten is parsed again", () => {
  const { texts, parsed } = counting(2);
  texts.get("a", "1");
  texts.get("b", "1");
  texts.get("a", "2");
  texts.get("c", "1");
  texts.get("a", "2");
  expect(parsed).toEqual(["1", "1", "2", "1", "2"]);
});

test("a text that does not parse is tried again", () => {
  let tries = 0;
  const texts = new ParsedTexts(() => {
    tries += 1;
    throw new Error("no JSON");
  });
  expect(() => texts.get("a", "{")).toThrow("no JSON");
  expect(() => texts.get("a", "{")).toThrow("no JSON");
  expect(tries).toBe(2);
});

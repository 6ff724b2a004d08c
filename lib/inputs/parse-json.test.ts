import { expect, test } from "vitest";
import { InputError } from "./input-problem.ts";
import { parseJson } from "./parse-json.ts";

function faultOf(text: string): string {
  try {
    parseJson(text, 500);
  } catch (error) {
    if (error instanceof InputError) return `${error.line}:${error.column} ${error.message}`;
    throw error;
  }
  return "none";
}

test.each([
  ['{"a": 1}', "none"],
  ['{\n"a": 1,}', "2:8 expected valid JSON: a name in double quotes is missing"],
  ['{"a": "x', "1:9 expected valid JSON: it ends too early"],
  ['{"a": 1, ', "1:10 expected valid JSON: it ends too early"],
  ['{"a": [1 2]}', "1:10 expected valid JSON: a comma or ] is missing"],
  ['{"a": tru}', "1:10 expected valid JSON: an unexpected character"],
  ['{"a": 1}\n{"b": 2}', "2:1 expected valid JSON: something follows its end"],
  ['{"secret": "s3cret" "b"}', "1:21 expected valid JSON: a comma or } is missing"],
  [`${"[".repeat(501)}`, "1:501 expected at most 500 levels of nesting"],
  [`{"a": "${"[".repeat(600)}\\\\\\"${"{".repeat(600)}"}`, "none"],
])("%s", (text, fault) => {
  expect(faultOf(text)).toBe(fault);
});

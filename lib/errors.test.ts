import { expect, test } from "vitest";
import { AppError } from "./errors.ts";

/** The module a second time: a bundler puts it into the bundle of the store and into that of each route. */
async function loadAgain(): Promise<typeof import("./errors.ts")> {
  const specifier = "./errors.ts?another-bundle";
  return await import(specifier);
}

test("an error made by another copy of the class is one too, both ways", async () => {
  const other = await loadAgain();
  expect(other.AppError).not.toBe(AppError);
  expect(new other.AppError("store-read-only", "full") instanceof AppError).toBe(true);
  expect(new AppError("store-read-only", "full") instanceof other.AppError).toBe(true);
});

test.each([new Error("AppError"), { name: "AppError", code: "internal" }, null, undefined, "AppError"])(
  "%s is none",
  (value: unknown) => {
    expect(value instanceof AppError).toBe(false);
  },
);

import { expect, test } from "vitest";
import { decideRestart, HEALTHY_RUN_SECONDS } from "./decide-restart.ts";

test("crashes in a row wait 1, 2, 4 … and at most 60 s", () => {
  const delays: number[] = [];
  let crashes = 0;
  for (let index = 0; index < 9; index++) {
    const decision = decideRestart({ crashesBefore: crashes, ranSeconds: 0.2 });
    crashes = decision.crashes;
    delays.push(decision.delaySeconds);
  }
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(crashes).toBe(9);
  expect(decideRestart({ crashesBefore: 5_000, ranSeconds: 0 }).delaySeconds).toBe(60);
});

test("after five minutes of health a crash is the first again", () => {
  expect(decideRestart({ crashesBefore: 8, ranSeconds: HEALTHY_RUN_SECONDS })).toEqual({
    crashes: 1,
    delaySeconds: 1,
  });
  expect(decideRestart({ crashesBefore: 8, ranSeconds: HEALTHY_RUN_SECONDS - 1 })).toEqual({
    crashes: 9,
    delaySeconds: 60,
  });
});

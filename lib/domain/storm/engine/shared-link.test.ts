import { describe, expect, it } from "vitest";
import { SharedLink, type Transfer } from "./shared-link.ts";

const transfer = (wireBytes: number): Transfer => ({ wireBytes, linkEndsAt: 0, isStopped: false });

function drain(link: SharedLink<Transfer>): [number, Transfer][] {
  const sent: [number, Transfer][] = [];
  while (link.nextTick < Number.POSITIVE_INFINITY) {
    const now = link.nextTick;
    link.step(now, (item) => sent.push([now / 1e6, item]));
  }
  return sent;
}

describe("the link of one API server", () => {
  it("is shared evenly: ten answers of 1 MB at 10 MB/s are all there after a second", () => {
    const link = new SharedLink(10_000_000);
    for (let index = 0; index < 10; index++) link.add(0, transfer(1_000_000));
    expect(drain(link).map(([at]) => at)).toEqual(new Array(10).fill(1));
  });

  it("gives a short one its share and then the rest to the long one", () => {
    const link = new SharedLink(1000);
    const long = transfer(3000);
    const short = transfer(1000);
    link.add(0, long);
    link.add(0, short);
    expect(drain(link)).toEqual([
      [2, short],
      [4, long],
    ]);
  });

  it("says how much of an answer was sent that is broken off", () => {
    const link = new SharedLink(1000);
    const first = transfer(4000);
    link.add(0, first);
    const second = transfer(1000);
    link.add(0, second);
    expect(link.cancel(2_000_000, first)).toBe(0.25);
    expect(drain(link)).toEqual([[2, second]]);
  });

  it("is empty after a reset", () => {
    const link = new SharedLink<Transfer>(1000);
    link.add(0, transfer(1000));
    link.reset(10);
    expect([link.transfers, link.nextTick]).toEqual([0, Number.POSITIVE_INFINITY]);
  });
});

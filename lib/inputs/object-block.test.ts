import { expect, test } from "vitest";
import { ObjectBlock } from "./object-block.ts";

test("a block gives back what it took, before and after it is packed, in any order", () => {
  const blocks: ObjectBlock[] = [new ObjectBlock()];
  const places: [ObjectBlock, number][] = [];
  const body = (index: number) => ({ index, text: `x\n${"ü".repeat(index % 700)}` });
  for (let index = 0; index < 3000; index++) {
    let block = blocks.at(-1);
    if (block === undefined || block.isFull) {
      block = new ObjectBlock();
      blocks.push(block);
    }
    places.push([block, block.add(body(index))]);
  }
  expect(blocks.length).toBeGreaterThan(2);
  for (const index of [2999, 0, 1500, 1, 2998, 0]) {
    const [block, place] = places[index] ?? [];
    expect(block?.get(place ?? 0)).toEqual(body(index));
  }
});

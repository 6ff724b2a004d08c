import { expect, test } from "vitest";
import { ClustersResponseSchema } from "../../contracts/clusters.ts";
import { addCluster } from "../../db/testing/records.ts";
import { temporaryStores } from "../../db/testing/temporary-store.ts";
import { makeTestContext } from "../testing/test-context.ts";
import { listClusters } from "./list-clusters.ts";

const stores = temporaryStores();

test("pages by cursor give every cluster once, by name, also when one is added between two pages", async () => {
  const store = await stores.open();
  for (const name of ["delta", "alpha", "echo", "bravo", "charlie"]) await addCluster(store, name);
  const context = makeTestContext(store);
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 10; pages++) {
    const page = ClustersResponseSchema.parse(
      await listClusters(context, { query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } }),
    );
    expect(page.clusters.length).toBeLessThanOrEqual(2);
    seen.push(...page.clusters.map((each) => each.name));
    if (pages === 0) await addCluster(store, "aardvark");
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(["alpha", "bravo", "charlie", "delta", "echo"]);
});

test.each(["", "%%%", Buffer.from("[1]").toString("base64url"), Buffer.from("{}").toString("base64url")])(
  "a cursor that this list never gave is refused: %j",
  async (cursor) => {
    const context = makeTestContext(await stores.open());
    await expect(listClusters(context, { query: { limit: 2, cursor } })).rejects.toMatchObject({
      code: "invalid-input",
    });
  },
);

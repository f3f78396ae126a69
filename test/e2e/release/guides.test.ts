/** Every page for readers is followed once, with one accident, and no block is left out. */
import { expect, test } from "@jest/globals";
import { walks } from "../../chaos/claims/guides";
import { blocksOf } from "../support/guide";
import { followed, keyOf } from "../support/guides/reader";
import { elsewhere, PAGES } from "../support/guides/table";
import { Ground } from "../support/guides/walk";

test.each(walks)("$page: $claim", async (walk) => {
  await expect(Ground.once(walk)).resolves.toBeUndefined();
});

test("each block of each page was followed, or is named with the test that runs it", () => {
  const left = PAGES.flatMap((path) =>
    blocksOf(path)
      .filter((block) => !followed.has(keyOf(path, block)) && elsewhere(path, block) === undefined)
      .map(({ text }) => `${path}: ${text}`),
  );
  expect(left).toEqual([]);
});

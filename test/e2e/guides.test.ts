/** Pages for readers are followed once, with one accident: test/e2e/support/guides. */
import { expect, test } from "@jest/globals";
import { walks } from "../chaos/claims/guides";
import { Ground } from "./support/guides/walk";

test.each(walks.filter(({ isLong }) => !isLong))("$page: $claim", async (walk) => {
  const went = walk.moments.slice(0, 1).map((moment) => Ground.go(walk, moment));
  await expect(Promise.all(went)).resolves.toHaveLength(1);
});

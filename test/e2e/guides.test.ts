/** Pages for readers are followed once, with one accident: test/e2e/support/guides. */
import { expect, test } from "@jest/globals";
import { walks } from "../chaos/claims/guides";
import { Ground } from "./support/guides/walk";

test.each(walks.filter(({ isLong }) => !isLong))("$page: $claim", async (walk) => {
  await expect(Ground.once(walk)).resolves.toBeUndefined();
});

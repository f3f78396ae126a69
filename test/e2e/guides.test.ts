/** Each page for readers is followed once, with one accident: test/e2e/support/guides. */
import { test } from "@jest/globals";
import { walks } from "./support/guides/terraform";
import { Ground, momentsOf, NEVER } from "./support/guides/walk";

test.each(walks)("$page: $claim", async (walk) => {
  const moments = momentsOf(walk);
  await Ground.go(walk, moments.find(({ brief }) => brief) ?? moments[0] ?? NEVER);
});

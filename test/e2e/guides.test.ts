/** Each page for readers is followed once, with one accident: test/e2e/support/guides. */
import { test } from "@jest/globals";
import { walks as onPulumi } from "./support/guides/pulumi";
import { walks as onTerraform } from "./support/guides/terraform";
import { Ground, momentsOf, NEVER } from "./support/guides/walk";

test.each([...onTerraform, ...onPulumi])("$page: $claim", async (walk) => {
  const moments = momentsOf(walk);
  await Ground.go(walk, moments.find(({ brief }) => brief) ?? moments[0] ?? NEVER);
});

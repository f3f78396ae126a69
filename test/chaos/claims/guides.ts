/** The accidents of the pages for readers, at every step: test/e2e/support/guides has the walks. */
import { walks as others } from "../../e2e/support/guides/others";
import { walks as onPulumi } from "../../e2e/support/guides/pulumi";
import { walks as onTerraform } from "../../e2e/support/guides/terraform";
import { Ground } from "../../e2e/support/guides/walk";
import { hasEngine, onPath } from "../../harness/terraform-workspace";
import type { Claim } from "../trial";

export const walks = [...onTerraform, ...onPulumi, ...others];

/** A page that tells what to do after a kill is right, whenever the kill came. */
export const followedGuides: Claim = {
  name: "who follows a guide loses nothing, whichever step was cut off",
  group: "guides",
  onTofuOnly: "a guide names its own engine",
  run: async (trial) => {
    if (!hasEngine("tofu") || onPath("pulumi") === undefined) {
      throw new Error("The guides need both engines: `npm run engines -- tofu pulumi` gets them.");
    }
    const killed = walks.filter(({ moments }) => moments);
    const cases = killed.flatMap((walk) =>
      (walk.moments ?? []).map((moment) => {
        return { walk, moment, name: `${walk.page}, ${walk.claim}: ${moment.name}` };
      }),
    );
    const count = await trial.each(cases, ({ walk, moment }) => Ground.go(walk, moment));
    return `${count} of ${cases.length} steps of ${killed.length} walks`;
  },
};

/** A sample; `npm run soak -- --only advice` plays 500 programs of another seed. */
import { expect, test } from "@jest/globals";
import { message, plainVoice, say } from "../../../provider/messages";
import { CannotFollow, waysOf } from "./advice";
import { followAdvice } from "./follow";
import type { Person } from "./person";

test("whoever does what messages say loses nothing, has nothing twice, and is asked nothing more", async () => {
  const { followed, breaches } = await followAdvice({ programs: 40, seed: 200 });
  expect(breaches).toEqual([]);
  const codes = ["found_alive", "planned_twice", "possibly_ours", "protected", "same_name"];
  expect(Object.keys(followed)).toEqual(expect.arrayContaining(codes));
}, 120_000);

test("advice that cannot be followed is a failure", () => {
  const unknown = message("mass_gone", { subject: { kind: "server" }, gone: 11, known: 12 });
  expect(say(plainVoice, unknown).remedy).not.toBe("");
  expect(() => waysOf({} as Person, unknown, "a")).toThrow(CannotFollow);
});

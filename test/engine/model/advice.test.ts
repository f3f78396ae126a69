/** A sample; `npm run soak -- --only advice` plays 500 programs of another seed. */
import { expect, test } from "@jest/globals";
import { followAdvice } from "./follow";

const PROGRAMS = 40;

test("whoever does what messages say loses nothing, has nothing twice, and is asked nothing more", async () => {
  const { followed, breaches } = await followAdvice({
    programs: Number(process.env["N"] ?? PROGRAMS),
    seed: Number(process.env["SEED"] ?? 1),
  });
  console.log(followed);
  expect(breaches).toEqual([]);
  expect(Object.keys(followed).length).toBeGreaterThan(3);
}, 120_000);

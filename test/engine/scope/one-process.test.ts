/** A host that plans and applies in one process, as `terraform test` does, and could use two. */
import { expect, test } from "@jest/globals";
import { given } from "../../support/given";
import { count } from "../crashes";
import { cutOff, identity, resuming, server, web } from "./machines";
import { checkOf, namesOf } from "../support";

const HOST = "7-7";

test.each([identity, undefined])(
  "the same declaration may be planned and applied again and again, with the identity %s",
  async (identity) => {
    const more = { host: HOST, options: { sameName: "error" } } as const;
    const { service, engine } = (await given()).engine(more);
    const options = { ...(identity !== undefined && { identity }), replans: true };
    for (let round = 0; round < 3; round += 1) {
      await checkOf(engine, server, web, identity);
      for (let plans = 0; plans < 2; plans += 1) {
        const { refused, notes } = await namesOf(engine, server, web, options);
        expect([refused, ...notes]).toEqual([undefined]);
      }
      const { state } = await engine.create(server, web, options);
      await engine.noteStored(server, state.id);
      await engine.read(server, state, options);
      await engine.delete(server, state, options);
    }
    expect(count(service)).toBe(0);
  },
);

test("with resume it asks before it takes what an interrupted run made: no plan has shown all states", async () => {
  const { service, id } = await cutOff();
  const { engine } = resuming(service, { host: HOST });
  await checkOf(engine, server, web, identity);
  await namesOf(engine, server, web, { identity });
  const asked = engine.create(server, web, { identity });
  await expect(asked).rejects.toMatchObject({ code: "found_alive" });
  expect(service.emulator.objects("server").map((object) => object.id)).toEqual([id]);
});

/** A host that plans and applies in one process, as `terraform test` does, and could use two. */
import { expect, test } from "@jest/globals";
import { given } from "../../support/given";
import { count } from "../crashes";
import { cutOff, identity, resuming, server, web } from "./machines";

const HOST = "7-7";

test.each([identity, undefined])(
  "the same declaration may be planned and applied again and again, with the identity %s",
  async (identity) => {
    const service = await given();
    const more = { host: HOST, options: { sameName: "error" } } as const;
    const { engine } = service.engine(more);
    const options = { ...(identity !== undefined && { identity }), replans: true };
    for (let round = 0; round < 3; round += 1) {
      engine.check(server, web, identity);
      for (let plans = 0; plans < 2; plans += 1) {
        const { refused, notes } = await engine.plannedNames(server, web, options);
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

// Today such a run waits for the note of another process that never wrote one.
test.failing("with resume it is informed by what it has seen itself", async () => {
  const service = await given();
  const id = await cutOff(service);
  const { engine } = resuming(service, { host: HOST });
  engine.check(server, web, identity);
  await engine.plannedNames(server, web, { identity });
  const { state } = await engine.create(server, web, { identity });
  expect(state.id).toBe(id);
});

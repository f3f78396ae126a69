/** A replacement that only the host knows of (`--replace`, taint), where no two objects may share a name. */
import { expect, test } from "@jest/globals";
import { given, textOf, type EngineGiven, type Run } from "../support/given";
import { checkOf, diffOf, kind, namesOf } from "./support";

const server = kind("server");
const web = { name: "web" };
const identity = "urn:stack::server::web";
const HOST = "7-7";

type Held = Awaited<ReturnType<Run["engine"]["create"]>>["state"];

/** How the run that replaces it, or the one that planned, has seen the object in the state. */
const SHOWN: Record<string, (engine: Run["engine"], state: Held) => Promise<unknown>> = {
  "a refresh": (engine, state) => engine.read(server, state, { identity }),
  "a difference": (engine, state) => diffOf(engine, server, state, web, identity),
  "its id alone": (engine, { id }) => engine.noteInState(server, id, identity),
};

const CASES = Object.keys(SHOWN).flatMap((by) =>
  [undefined, "github.com/acme/infra/prod"].flatMap((scope) =>
    [false, true].flatMap((resume) =>
      [false, true].map((elsewhere) => ({ by, scope, resume, elsewhere })),
    ),
  ),
);

test.each(CASES)(
  "passes where $by has shown the state, with the scope $scope, resume $resume, and an apply in another process: $elsewhere",
  async ({ by, scope, resume, elsewhere }) => {
    const service = await given();
    const options = { scope, resume, sameName: "error" } as const;
    const before = service.engine({ options });
    const { state: old } = await before.engine.create(server, web, { identity });
    await before.engine.close();
    const more: EngineGiven = { options, ...(elsewhere && { host: HOST }) };
    const plan = service.engine(more).engine;
    await checkOf(plan, server, web, identity, true);
    await SHOWN[by]?.(plan, old);
    const planned = await namesOf(plan, server, web, { identity });
    expect([planned.refused, ...planned.notes]).toEqual([undefined]);
    if (elsewhere) await plan.close({ storesLater: true });
    const apply = elsewhere ? service.engine(more).engine : plan;
    const { state, warnings } = await apply.create(server, web, { identity });
    expect(textOf(warnings)).toBe("");
    expect(state.id).not.toBe(old.id);
    await apply.delete(server, old, { identity });
    expect(service.emulator.objects("server").map(({ id }) => id)).toEqual([state.id]);
  },
);

test.each([true, false])(
  "passes in the apply of a saved plan, which is told what the create replaces, with resume: %s",
  async (resume) => {
    const service = await given();
    const options = { scope: "prod", resume, sameName: "error" } as const;
    const before = service.engine({ options });
    const { state: old } = await before.engine.create(server, web, { identity });
    await before.engine.close();
    const { engine } = service.engine({ options, host: HOST });
    const { state } = await engine.create(server, web, { identity, replaces: old });
    expect(state.id).not.toBe(old.id);
  },
);

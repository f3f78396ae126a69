/** A replacement that only the host knows of (`--replace`, taint), where no two objects may share a name. */
import { expect, test } from "@jest/globals";
import { given, textOf, type EngineGiven, type Run, type Service } from "../support/given";
import { count, createAndKill, exited, identity, killed, leftBy } from "./crashes";
import { machine, resuming } from "./scope/machines";
import { callsOf, checkOf, codeOf, diffOf, namesOf, server } from "./support";

const web = { name: "web" };
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
    const options = { scope, resume, sameName: "error" } as const;
    const { service, state: old } = await leftBy(exited, { options });
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
  "passes in the apply of a saved plan, which is shown what the create replaces, with resume: %s",
  async (resume) => {
    const options = { scope: "prod", resume, sameName: "error" } as const;
    const { service, state: old } = await leftBy(exited, { options });
    const { engine } = service.engine({ options, host: HOST });
    const { state } = await engine.create(server, web, { identity, replaces: old });
    expect(state.id).not.toBe(old.id);
  },
);

const idsOf = ({ emulator }: Service) => emulator.objects("server").map(({ id }) => id);

/** Creates the server in a run whose host has a state of it, and has shown that as far as it is said. */
async function replaced({ engine }: Run, shown?: Held): Promise<Held> {
  await checkOf(engine, server, web, identity, true);
  if (shown) await diffOf(engine, server, shown, web, identity);
  return (await engine.create(server, web, { identity })).state;
}

test.each([
  ["is taken over where a diff has shown the id that the host has", true],
  ["is deleted as an orphan once the id that the host deletes shows which object it had", false],
])("a replacement that was cut off %s", async (_, isShown) => {
  const service = await given();
  const former = service.engine().engine.create(server, web, { identity: "urn:first" });
  const { state: held } = await former;
  const left = await killed.afterAnswer(service);
  const run = service.engine();
  const { id } = await replaced(run, isShown ? held : undefined);
  expect(id === left.id).toBe(isShown);
  // Nothing is deleted before it is known whose it is.
  expect(count(service)).toBe(isShown ? 2 : 3);
  await run.engine.delete(server, held, { identity });
  expect(idsOf(service)).toEqual([id]);
});

test("an answered object that the host held after all is deleted once, by the host", async () => {
  const { service, state: held } = await leftBy(killed.afterAnswer);
  const run = service.engine();
  const { id } = await replaced(run);
  await run.engine.delete(server, held, { identity });
  expect(idsOf(service)).toEqual([id]);
  expect(callsOf(service.emulator, "DELETE", /servers/)).toBe(1);
});

test("the intent of a replacement that was never resolved stays on disk for the next run", async () => {
  const { service } = await leftBy(killed.afterAnswer);
  const run = service.engine();
  await replaced(run);
  await run.engine.close();
  expect(service.entries()).toHaveLength(1);
});

// Nothing shows the state, as with Pulumi's --replace.
test.each<[by: string, plain: (service: Service) => Run, taking: (service: Service) => Run]>([
  ["an intent", (service) => service.engine(), (service) => service.engine()],
  ["its scope and resume", machine, resuming],
])(
  "an object that %s led to is kept where the host then deletes it as the replaced one, in this run and the next",
  async (_, plain, taking) => {
    const service = await given();
    const held = await createAndKill(plain(service), server, web);
    const run = taking(service);
    const { state } = await run.engine.create(server, web, { identity });
    expect(state.id).toBe(held.id);
    const { warnings } = await run.engine.delete(server, held, { identity });
    expect(warnings.map(({ code }) => code)).toEqual(["kept_instead"]);
    await run.kill();
    for (const [now, left] of [
      [held, 1],
      [state, 0],
    ] as const) {
      const { engine } = plain(service);
      await diffOf(engine, server, state, web, identity);
      await engine.delete(server, now, { identity });
      expect(count(service)).toBe(left);
    }
  },
);

test("a replacement that was cut off with its machine is continued with resume where the state was read", async () => {
  const service = await given();
  const { state } = await machine(service).engine.create(server, web, { identity });
  const read = async (run: Run) => {
    await run.engine.read(server, state, { identity });
    return (await replaced(run)).id;
  };
  const run = machine(service);
  const next = await read(run);
  await run.kill();
  expect(await read(resuming(service))).toBe(next);
});

test("an object that this very run created is not deleted as the replaced one, until the host shows that it holds it", async () => {
  const { service, engine } = (await given()).engine();
  const { state } = await engine.create(server, web, { identity });
  expect(await codeOf(engine.delete(server, state, { identity }))).toBe("own_create");
  expect(count(service)).toBe(1);
  await engine.read(server, state, { identity });
  await engine.delete(server, state, { identity });
  expect(count(service)).toBe(0);
});

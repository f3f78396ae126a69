/** Objects of equal names: said in the plan, and again where one is created nevertheless. */
import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { ask, strike } from "../support/ask";
import type { Values } from "../../provider/contract";
import { UNKNOWN } from "../../provider/resources";
import type { Engine, OperationOptions } from "../../provider/engine";
import { given, textOf, type EngineGiven, type Run, type Service } from "../support/given";
import { createAndKill, exited, filesOf, identity, killed, leftBy, rewrite } from "./crashes";
import { callsOf, checkOf, clockOff, codeOf, diffOf } from "./support";
import { failureOf, named, namesOf, onTwoServers } from "./support";

const { server, instance, backup, apiKey } = named;

/** What a plan says of the names of these servers, one declaration each. */
async function planned(engine: Engine, names: readonly unknown[], identity?: string) {
  const said = [];
  for (const [index, name] of names.entries()) {
    const options = identity === undefined ? {} : { identity: `${identity}${index}` };
    const { refused, notes } = await namesOf(engine, server, { name }, options);
    said.push(...(refused ? [refused] : []), ...notes);
  }
  return said;
}

const policy = (sameName: "warn" | "error" | "allow") => ({
  // Without a scope there is nothing to resume.
  options: { sameName, readMaxAgeMs: 60_000, resume: true },
});

/** A service with an unmanaged server of the name web. */
async function withTwin(sameName: "warn" | "error" | "allow"): Promise<Run & { twin: string }> {
  const run = (await given()).engine(policy(sameName));
  const [made] = run.emulator.createObjects("server", [{ name: "web" }]);
  return { ...run, twin: String(made?.["id"]) };
}

describe("a plan of an object whose name is taken", () => {
  test("names the attribute, the id and the import, once, after one walk for all of its kind", async () => {
    const { engine, emulator, twin } = await withTwin("warn");
    const said = await planned(engine, ["web", "shop", "erp"], "urn:");
    expect(said).toMatchObject([{ code: "same_name", path: ["name"] }]);
    expect(textOf(said)).toContain(`import server ${twin}`);
    expect(callsOf(emulator, "GET", /^\/servers/)).toBe(1);
    expect(await planned(engine, ["web"], "urn:")).toEqual([]); // Pulumi asks twice.
  });

  test.each([
    ["error", "same_name", 0],
    ["warn", undefined, 1],
  ] as const)("is refused where the policy asks for that: %s", async (sameName, code, count) => {
    const { engine } = await withTwin(sameName);
    const { refused, notes } = await namesOf(engine, server, { name: "web" });
    expect([refused?.code, notes.length]).toEqual([code, count]);
  });

  test.each([
    ["the policy is allow", "allow", { name: "web" }],
    ["the name is not known yet", "warn", { name: UNKNOWN }],
    ["no name is given", "warn", {}],
  ] as const)("makes no call where %s", async (_, sameName, inputs) => {
    const { engine, emulator } = await withTwin(sameName);
    expect(await namesOf(engine, server, inputs)).toEqual({ refused: undefined, notes: [] });
    expect(await namesOf(engine, backup, { name: "web" })).toMatchObject({ notes: [] });
    expect(callsOf(emulator, "GET", /^\/servers/)).toBe(0);
  });

  test("says nothing of an object that is in a state of this run", async () => {
    const { engine } = (await given()).engine(policy("warn"));
    const { state } = await engine.create(server, { name: "web" });
    await diffOf(engine, server, state, { name: "web" });
    expect(await planned(engine, ["web"])).toEqual([]);
  });

  test("says nothing of a replacement, whose name is its predecessor's", async () => {
    const { engine } = await withTwin("warn");
    await checkOf(engine, server, { name: "web" }, "urn:web", true);
    const { notes } = await namesOf(engine, server, { name: "web" }, { identity: "urn:web" });
    expect(notes).toEqual([]);
  });

  test("says nothing where the key may not list, asks once, and creates", async () => {
    const service = await given();
    const { value: apiKey } = service.emulator.createKey({ permissions: ["servers:write"] });
    const { engine } = service.engine({ ...policy("warn"), apiKey });
    expect(await planned(engine, ["web"])).toEqual([]);
    expect(await planned(engine, ["shop", "erp"])).toEqual([]);
    expect(callsOf(service.emulator, "GET", /^\/servers/)).toBe(1);
    const strict = service.engine({ ...policy("error"), apiKey }).engine;
    expect(await codeOf(namesOf(strict, server, { name: "web" }))).toBe("insufficient_permissions");
  });

  test("fails where the list does, because nobody knows then who has the name", async () => {
    const { emulator, engine } = (await given()).engine(policy("warn"));
    strike(emulator, "GET", 400);
    await expect(planned(engine, ["web"])).rejects.toMatchObject({ status: 400 });
  });
});

describe("two objects of one name in one plan", () => {
  test.each([
    ["with identities", "urn:"],
    ["without, where a host plans each once", undefined],
  ])("are reported once: %s", async (_, identity) => {
    const { engine } = (await given()).engine(policy("warn"));
    const said = await planned(engine, ["web", "web", "web", "shop"], identity);
    expect(said).toMatchObject([{ code: "planned_twice", path: ["name"] }]);
  });

  test("are not two where one declaration is planned twice", async () => {
    const { engine } = (await given()).engine(policy("warn"));
    const once = async () =>
      (await namesOf(engine, server, { name: "web" }, { identity: "urn:web" })).notes;
    expect([await once(), await once()]).toEqual([[], []]);
  });

  test("are not known to be two where the host plans a declaration again and does not say which", async () => {
    const { engine } = (await given()).engine(policy("error"));
    const again = () => namesOf(engine, server, { name: "web" }, { replans: true });
    const nothing = { refused: undefined, notes: [] };
    expect([await again(), await again()]).toMatchObject([nothing, nothing]);
  });
});

describe("a create whose name is taken", () => {
  test.each(["warn", "error", "allow"] as const)("follows the policy %s", async (sameName) => {
    const { emulator, engine, twin } = await withTwin(sameName);
    const work = engine.create(server, { name: "web" });
    if (sameName === "error") {
      const error = await failureOf(work);
      expect(error).toMatchObject({ code: "same_name", path: ["name"] });
      expect(error.message).toContain(`import server ${twin}`);
      expect(emulator.objects("server")).toHaveLength(1);
      return;
    }
    const { state, warnings } = await work;
    expect(warnings).toMatchObject(sameName === "warn" ? [{ code: "made_with_same_name" }] : []);
    if (sameName === "allow") return;
    expect(textOf(warnings)).toContain(`Created server ${state.id}, although ${twin} has`);
  });
});

test("without a state that was shown, nothing tells a replacement that the host forces from a new object", async () => {
  const { service } = await leftBy(exited);
  const { engine } = service.engine(policy("error"));
  const error = await failureOf(engine.create(server, { name: "web" }, { identity }));
  expect(error).toMatchObject({ code: "same_name", reason: { parts: { isShown: false } } });
});

test("no key that a replaced key was rotated to counts as a stranger with its name", async () => {
  const { service, engine } = (await given()).engine(policy("error"));
  const inputs = (n: string) => ({ name: "ci", permissions: ["read"], triggers: { n } });
  const { state } = await engine.create(apiKey, inputs("1"));
  const twice = inputs("2");
  const { state: between } = await engine.update(apiKey, state, inputs("3"));
  const { state: rotated } = await engine.update(apiKey, between, twice);
  expect(service.emulator.objects("api_key")).toHaveLength(4);
  const later = service.engine(policy("error"));
  const replacement = later.engine.create(apiKey, twice, { replaces: rotated });
  await expect(replacement).resolves.toMatchObject({ warnings: [] });
});

test("nor does one that somebody else has rotated a key to whose first one is gone", async () => {
  const { service, emulator, engine } = (await given()).engine(policy("error"));
  const inputs = { name: "ci", permissions: ["read"] };
  const { state } = await service.engine().engine.create(apiKey, inputs);
  await ask(emulator, `POST /api-keys/${state.id}/rotate`);
  emulator.removeObject("api_key", state.id);
  await engine.read(apiKey, state);
  const { refused, notes } = await namesOf(engine, apiKey, inputs);
  expect([refused, notes]).toEqual([undefined, []]);
});

describe("what a run that was cut off left, where the policy is error", () => {
  const strict = (more: NonNullable<EngineGiven["options"]> = {}): EngineGiven => ({
    options: { ...policy("error").options, ...more },
  });
  type Planned = EngineGiven & { readonly inputs?: Values; readonly said?: OperationOptions };
  type About = { readonly subject: { readonly id: string } };
  /** What a plan of a server refuses and notes, and the objects that it names. */
  const plan = async (
    service: Service,
    { inputs = { name: "web" }, said = { identity }, ...more }: Planned = {},
  ) => {
    const { engine } = service.engine({ ...strict(), ...more });
    const { refused, notes } = await namesOf(engine, server, inputs, said);
    expect(textOf(notes)).not.toContain("import");
    const about = notes.map(({ code, parts }) => [code, (parts as About).subject.id]);
    return [refused && [refused.code, (refused.parts as Partial<About>).subject?.id], about];
  };
  const later = { clock: clockOff(25 * 3_600_000) };
  const stranger = (service: Service): string =>
    String(service.emulator.createObjects("server", [{ name: "web" }])[0]?.["id"]);
  const createAgain = (service: Service, more: EngineGiven = {}) =>
    service.engine({ ...strict(), ...more }).engine.create(server, { name: "web" }, { identity });

  test.each([
    ["with tokens", {}, true],
    ["without tokens", {}, false],
    ["with tokens in a scope", { scope: "acme/prod" }, true],
    ["without tokens in a scope", { scope: "acme/prod" }, false],
  ])(
    "is continued by the next run without a question, whether it was cut off before, between or after the answers: %s",
    async (_, options, tokens) => {
      const more = strict(options);
      const said = (name: string) => (tokens ? { identity: `urn:${name}` } : {});
      const { service } = await leftBy(
        killed.beforeSending,
        { name: "unsent" },
        more,
        said("unsent"),
      );
      const lost = await killed.beforeAnswer(service, { name: "lost" }, more, said("lost"));
      const done = await killed.afterAnswer(service, { name: "done" }, more, said("done"));
      const names = ["unsent", "lost", "done"];
      const others = { begun: [{ name: "lost" }, { name: "done", id: done.id }] };
      const entry = JSON.parse(readFileSync(filesOf(service.intents)[0] ?? "", "utf8")) as object;
      const id = randomUUID();
      const planted = { ...entry, id, bodyHash: "", name: "planted", ...said("planted") };
      writeFileSync(`${service.intents}/${id}.9-start.json`, JSON.stringify(planted));
      const planAll = async () => {
        const { engine } = service.engine(more);
        const planned = names.map((name) => namesOf(engine, server, { name }, said(name)));
        expect(await Promise.all(planned)).toMatchObject([
          { refused: undefined, notes: tokens ? [] : [{ code: "left_unfinished", parts: others }] },
          { refused: undefined, notes: [{ code: "left_open", parts: { isSure: false } }] },
          { refused: undefined, notes: [{ code: "left_open", parts: { isSure: true } }] },
        ]);
        return engine;
      };
      await planAll();
      const engine = await planAll(); // The process that applies plans again.
      for (const name of names) {
        const { warnings } = await engine.create(server, { name }, said(name));
        expect(textOf(warnings)).not.toContain("import");
      }
      const ids = service.emulator.objects("server").map(({ id }) => id);
      expect(ids).toEqual([lost.id, done.id, expect.any(String)]);
    },
  );

  test("is a note where the policy is warn as well, and nothing advises to import it before or after", async () => {
    const { service, id } = await leftBy(killed.afterAnswer);
    const more = { options: { sameName: "warn" } } as const;
    expect(await plan(service, more)).toEqual([undefined, [["left_open", id]]]);
    const { engine } = service.engine({ ...strict(), ...more });
    const said = async () =>
      (await namesOf(engine, server, { name: "web" }, { identity })).notes.length;
    expect([await said(), await said()]).toEqual([1, 0]);
    const { state, warnings } = await createAgain(service, more);
    expect([state.id, warnings.map(({ code }) => code)]).toEqual([id, ["recovered"]]);
  });

  test("is found although the plan does not know all values yet", async () => {
    const inputs = { name: "web", properties: { tier: "gold" } };
    const { service, id } = await leftBy(killed.afterAnswer, inputs, strict(), {});
    const planned = (tier: unknown) =>
      plan(service, { inputs: { name: "web", properties: { tier, size: UNKNOWN } }, said: {} });
    expect(await planned(UNKNOWN)).toEqual([undefined, [["left_open", id]]]);
    expect(await planned("silver")).toEqual([["same_name", id], []]);
    // Sealed under a key that was replaced, it can't be compared with what is planned.
    const { value: apiKey } = service.emulator.createKey({ permissions: ["admin"] });
    const open = { inputs: { name: "web", properties: { size: UNKNOWN } }, said: {} };
    expect(await plan(service, { ...open, apiKey })).toEqual([["same_name", id], []]);
  });

  test("is not taken for another declaration, or where somebody else wrote of it", async () => {
    const { service, id } = await leftBy(killed.afterAnswer);
    const refused = [["same_name", id], []];
    expect(await plan(service, { said: { identity: "urn:other" } })).toEqual(refused);
    expect(await plan(service, { said: {} })).toEqual(refused);
    const [file = ""] = filesOf(service.intents);
    const entry = JSON.parse(readFileSync(file, "utf8")) as object;
    writeFileSync(file, JSON.stringify({ ...entry, signatures: [] }));
    expect(await plan(service)).toEqual([["intent_foreign", undefined], []]);
    expect(await codeOf(createAgain(service))).toBe("intent_foreign");
    writeFileSync(file, "");
    expect(await plan(service)).toEqual([["intents_unreadable", undefined], []]);
    expect(await plan(service, { inputs: { name: "free" } })).toEqual([undefined, []]);
    expect(await codeOf(createAgain(service))).toBe("intents_unreadable");
  });

  test("is said to be of a run that may still be at work as long as that lives", async () => {
    const service = await given();
    const living = service.engine();
    const { state } = await living.engine.create(server, { name: "web" }, { identity });
    expect(await plan(service)).toEqual([undefined, [["left_open", state.id]]]);
    await living.kill();
    expect(await plan(service)).toEqual([undefined, [["left_open", state.id]]]);
  });

  test("is taken over whatever else has its name, and excuses nothing once it was deleted", async () => {
    const { service, id } = await leftBy(killed.afterAnswer);
    const other = stranger(service);
    expect(await plan(service)).toEqual([undefined, [["left_open", id]]]);
    service.emulator.removeObject("server", id);
    expect(await plan(service)).toEqual([["same_name", other], []]);
    expect(await codeOf(createAgain(service))).toBe("same_name");
  });

  test("is said to stand next to another object where it was never sent, and that one may have been it", async () => {
    const { service } = await leftBy(killed.beforeSending);
    const other = stranger(service);
    expect(await plan(service)).toEqual([undefined, [["left_open", other]]]);
    const { state, warnings } = await createAgain(service);
    expect(state.id).not.toBe(other);
    expect(warnings).toMatchObject([{ code: "made_with_same_name", parts: { made: state.id } }]);
  });

  test("excuses neither of two objects where nothing tells which one it is", async () => {
    const { service } = await leftBy(killed.beforeAnswer);
    const other = stranger(service);
    expect(await plan(service)).toEqual([["same_name", other], []]);
  });

  test("is found by its time and name a day later", async () => {
    const { service, id } = await leftBy(killed.beforeAnswer);
    service.emulator.advance("25h");
    expect(await plan(service, later)).toEqual([undefined, [["left_open", id]]]);
    const { state, warnings } = await createAgain(service, later);
    expect([state.id, warnings.map(({ code }) => code)]).toEqual([id, ["adopted"]]);
  });

  test("will be deleted where an edit that no update can make came in between, and is left to a person a day later", async () => {
    const service = await given();
    const [one, two] = onTwoServers(service);
    const left = await createAndKill(service.engine(strict()), instance, one);
    const next = service.engine(strict());
    const planned = await namesOf(next.engine, instance, two, { identity });
    expect(planned).toMatchObject({ refused: undefined, notes: [{ parts: { isReplaced: true } }] });
    const { state } = await next.engine.create(instance, two, { identity });
    expect(service.emulator.objects("instance").map(({ id }) => id)).toEqual([state.id]);
    expect(state.id).not.toBe(left.id);
    await next.kill();
    const refusal = { code: "same_name", parts: { subject: { id: state.id } } };
    const isLeft = async (more: EngineGiven = {}) => {
      const { engine } = service.engine({ ...strict(), ...more });
      const { refused } = await namesOf(engine, instance, one, { identity });
      expect(refused).toMatchObject(refusal);
    };
    await rewrite(service, ({ body: _, ...entry }) => entry); // As where a person answered.
    await isLeft();
    await rewrite(service, ({ answer: _, ...entry }) => entry);
    service.emulator.advance("25h");
    await isLeft(later);
  });

  test("is taken from a run that exited cleanly for the very same declaration alone, and within minutes", async () => {
    const { service, id } = await leftBy(exited, strict(), true);
    const refused = [["same_name", id], []];
    const edited = { name: "web", properties: { tier: "gold" } };
    expect(await plan(service, { inputs: edited })).toEqual(refused);
    expect(await plan(service, { clock: clockOff(900_000) })).toEqual(refused);
    expect(await plan(service)).toEqual([undefined, [["left_open", id]]]);
  });
});

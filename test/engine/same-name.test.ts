/** Objects of equal names: said in the plan, and again where one is created nevertheless. */
import { describe, expect, test } from "@jest/globals";
import { UNKNOWN, type Engine } from "../../provider/engine";
import { given, textOf, type Run } from "../support/given";
import { callsOf, failureOf, kind } from "./support";

const server = kind("server");
const backup = kind("backup");

/** What a plan says of the names of these servers, one declaration each. */
async function planned(engine: Engine, names: readonly unknown[], identity?: string) {
  const said = [];
  for (const [index, name] of names.entries()) {
    const options = identity === undefined ? {} : { identity: `${identity}${index}` };
    const { refused, notes } = await engine.plannedNames(server, { name }, options);
    said.push(...(refused ? [refused] : []), ...notes);
  }
  return said;
}

const policy = (sameName: "warn" | "error" | "allow") => ({
  options: { sameName, readMaxAgeMs: 60_000 },
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

  test("is refused where the policy is error", async () => {
    const { engine } = await withTwin("error");
    const { refused, notes } = await engine.plannedNames(server, { name: "web" });
    expect([refused?.code, notes]).toEqual(["same_name", []]);
  });

  test.each([
    ["the policy is allow", "allow", { name: "web" }],
    ["the name is not known yet", "warn", { name: UNKNOWN }],
    ["no name is given", "warn", {}],
  ] as const)("makes no call where %s", async (_, sameName, inputs) => {
    const { engine, emulator } = await withTwin(sameName);
    expect(await engine.plannedNames(server, inputs)).toEqual({ refused: undefined, notes: [] });
    expect(await engine.plannedNames(backup, { name: "web" })).toMatchObject({ notes: [] });
    expect(callsOf(emulator, "GET", /^\/servers/)).toBe(0);
  });

  test("says nothing of an object that is in a state of this run", async () => {
    const { engine } = (await given()).engine(policy("warn"));
    const { state } = await engine.create(server, { name: "web" });
    await engine.diff(server, state, { name: "web" });
    expect(await planned(engine, ["web"])).toEqual([]);
  });

  test("says nothing of a replacement, whose name is its predecessor's", async () => {
    const { engine } = await withTwin("warn");
    engine.check(server, { name: "web" }, "urn:web", true);
    const { notes } = await engine.plannedNames(server, { name: "web" }, { identity: "urn:web" });
    expect(notes).toEqual([]);
  });

  test("says nothing where the key may not list, asks once, and creates", async () => {
    const service = await given();
    const { value: apiKey } = service.emulator.createKey({ permissions: ["servers:write"] });
    const { engine } = service.engine({ ...policy("warn"), apiKey });
    expect(await planned(engine, ["web"])).toEqual([]);
    expect(await planned(engine, ["shop", "erp"])).toEqual([]);
    expect(callsOf(service.emulator, "GET", /^\/servers/)).toBe(1);
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
      (await engine.plannedNames(server, { name: "web" }, { identity: "urn:web" })).notes;
    expect([await once(), await once()]).toEqual([[], []]);
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

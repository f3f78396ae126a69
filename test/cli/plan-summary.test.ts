/** What `erphost plan-summary` says of plans that the real engines made; `npm run plans:record` records them. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { isRecord } from "../../provider/contract";
import { summarySchema, type Summary } from "../../cli/plan-summary/schema";
import { CANARY, HOSTILE, SECRETS } from "../plans/scenario";
import { HARMLESS_TEXTS, SECRET_PARTS, SECRET_TEXTS } from "../support/secrets";
import { complaint, erphost, letters, objectsIn } from "./support";

const RECORDED = join(__dirname, "..", "plans", "recorded");
const ENGINES = ["terraform", "tofu", "pulumi-plugin", "pulumi-dynamic"] as const;
const readFile = (path: string): string => readFileSync(join(RECORDED, `${path}.json`), "utf8");
const summarise = (...words: string[]) => erphost(["plan-summary", ...words], { readFile });

const summariseText = (text: string, ...words: string[]) =>
  erphost(["plan-summary", "a", ...words], { readFile: () => text });

/** The summary of files, by its documented schema. */
async function summaryOf(...files: string[]): Promise<Summary> {
  const { code, out, err } = await summarise(...files, "--format", "json");
  expect({ code, err }).toEqual({ code: 0, err: [] });
  return summarySchema.parse(JSON.parse(out.join("\n")));
}

const PLANNED = "erphost_instance.erp";
/** A recorded change of one instance, with a text as its name, in its address and in fields. */
const planWith = (text: string): string =>
  JSON.stringify(
    JSON.parse(readFile("terraform-plan"), (key, value: unknown) => {
      if (key === "resource_changes" && Array.isArray(value)) {
        const changes: readonly unknown[] = value;
        return changes.filter((one) => isRecord(one) && String(one["address"]).startsWith(PLANNED));
      }
      if (value === PLANNED) return `${PLANNED}[${JSON.stringify(text)}]`;
      if (value === "erp" && key === "name") return text;
      return value === "17.0" || value === "eu" ? text : value;
    }),
  );

describe.each(ENGINES)("a plan of %s", (engine) => {
  let summary: Summary;
  beforeAll(async () => void (summary = await summaryOf(`${engine}-plan`)));

  const nameIn = (address: string): string => address.split(".").at(-1) ?? "";
  const objects = () => summary.plans[0]?.objects ?? [];
  const named = (name: string) => objects().find(({ address }) => nameIn(address) === name);
  const that = (action: string): string[] =>
    objects()
      .filter((object) => object.action === action)
      .map(({ address }) => nameIn(address))
      .toSorted();

  test("a summary tells what is made, changed, replaced, rotated, retained and deleted", () => {
    expect({ create: that("create"), update: that("update") }).toEqual({
      create: ["fresh", "lost"],
      update: ["erp", "kept", "ops", "web"],
    });
    expect(that("replace")).toEqual(["moved", "weekly"]);
    expect(that("rotate")).toEqual(["ci", "console"]);
    expect(that("retain")).toEqual(["first"]);
    expect(that("delete")).toEqual(["old"]);
    expect(summary.plans[0]).toMatchObject({ complete: true, counts: { none: 1 } });
  });

  test("a replacement names what forces it, and whether the service keeps the old object", () => {
    const serverId = engine.startsWith("pulumi") ? "serverId" : "server_id";
    expect(named("moved")).toMatchObject({ forcedBy: [serverId], keepsOld: false });
    expect(named("weekly")).toMatchObject({ keepsOld: true });
    // The program does not choose its new id.
    expect(named("moved")?.changes.map(({ field }) => field)).not.toContain("id");
    expect(named("weekly")?.forcedBy.join()).toMatch(/^triggers/);
  });

  test("a rotation names the key that ends, and when", () => {
    expect(named("ci")?.rotation).toMatchObject({ gracePeriod: "7d" });
    expect(named("ci")?.rotation?.oldKey).toMatch(/^key_\d+$/);
    expect(named("console")?.rotation).toMatchObject({ gracePeriod: null });
  });

  test("an object that is protected, and a plan that ends its protection, are reported", () => {
    expect(named("web")).toMatchObject({ protected: true, endsProtection: true });
    expect(named("kept")).toMatchObject({ protected: false, endsProtection: false });
  });

  test("values of fields are shown, those of secrets are not", () => {
    const shown = Object.fromEntries(
      (named("erp")?.changes ?? []).map(({ field, before, after }) => [field, [before, after]]),
    );
    expect(shown).toMatchObject({
      version: ['"17.0"', '"18.0"'],
      "properties.region": ['"eu"', '"us"'],
      "properties.database_password": ["(secret)", "(secret)"],
    });
    const [hidden, ...others] = named("ops")?.changes ?? [];
    expect(others).toEqual([]);
    expect(hidden?.field).toMatch(/^properties(\.note)?$/);
    expect(hidden).toMatchObject({ before: "(secret)", after: "(secret)" });
  });

  test("what others changed or removed is reported as drift", () => {
    const found = summary.plans[0]?.drift ?? [];
    const drifted = found.map(({ address, what }) => [nameIn(address), what]);
    expect(drifted.toSorted()).toEqual([
      ["kept", "changed"],
      ["lost", "gone"],
    ]);
  });

  test("the scopes of the apply are those of its calls, and reading needs the rest", () => {
    const scopes = Object.fromEntries(summary.scopes.map(({ scope, objects }) => [scope, objects]));
    expect(scopes).toEqual({
      "api-keys:read": 0,
      "api-keys:write": 2,
      "backups:read": 0,
      // A backup guards the upgrade, and the other one is replaced.
      "backups:write": 2,
      "instances:delete": 1,
      "instances:read": 0,
      "instances:write": 2,
      "servers:delete": 1,
      "servers:read": 0,
      "servers:write": 4,
      "teams:read": 0,
      "teams:write": 1,
    });
    expect(summary.calls.writes).toBe(13);
  });

  test("a plan that only reads has its drift, and changes nothing", async () => {
    const drift = await summaryOf(`${engine}-drift`);
    expect(drift).toMatchObject({ changes: false, drift: true, calls: { writes: 0 } });
    const found = drift.plans[0]?.drift.map(({ what }) => what).toSorted();
    // Pulumi counts what changed of dynamic resources, and does not say which it is.
    const isNamed = engine !== "pulumi-dynamic";
    expect(found).toEqual(isNamed ? ["changed", "gone"] : ["gone"]);
    expect(drift.plans[0]?.unnamedDrift).toBe(isNamed ? 0 : 1);
  });
});

describe("a summary", () => {
  const plans = ENGINES.map((engine) => `${engine}-plan`);
  const drifts = ENGINES.map((engine) => `${engine}-drift`);

  test("objects of other providers are named with what happens to them, and not judged", async () => {
    const [terraform, plugin, dynamic] = (
      await summaryOf("terraform-plan", "pulumi-plugin-plan", "pulumi-dynamic-plan")
    ).plans;
    expect(terraform?.others).toMatchObject([
      {
        ...{ address: "terraform_data.more", action: "create" },
        changes: [{ field: "input", before: null, after: '"one"' }],
      },
      {
        ...{ address: "terraform_data.note", action: "update" },
        changes: [
          { field: "input", before: '"one"', after: '"two"' },
          { field: "output", before: '"one"', after: "(known after apply)" },
        ],
      },
    ]);
    expect(plugin?.others).toEqual([]);
    expect(dynamic?.others).toContainEqual({
      address: "more (pulumi-nodejs:dynamic:Resource)",
      ...{ action: "create", imported: false },
      changes: [{ field: "text", before: null, after: '"one"' }],
    });
  });

  const FORMATS = ["markdown", "json", "table"];
  test.each(FORMATS)("no secret of any plan is in it, as %s", async (format) => {
    const { out } = await summarise(...plans, ...drifts, "--format", format);
    const text = out.join("\n");
    expect(readFile("terraform-plan")).toContain(CANARY);
    for (const secret of [CANARY, ...Object.values(SECRETS)]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/_(?:test|live)_\w{16}/);
  });

  test.each(FORMATS)("nothing that looks like a secret is in it, as %s", async (format) => {
    const texts = [...SECRET_TEXTS.map(([, text]) => text), ...HARMLESS_TEXTS];
    const { out } = await erphost(
      ["plan-summary", ...texts.map((_, index) => `${index}`), "--format", format],
      { readFile: (path) => planWith(texts[Number(basename(path))] ?? "") },
    );
    const all = out.join("\n");
    expect(SECRET_PARTS.filter((part) => all.includes(part))).toEqual([]);
    // Of the name, the address, the typed field and the free one.
    expect(all.match(/\(secret\)/g)?.length).toBeGreaterThanOrEqual(4 * SECRET_TEXTS.length);
    expect(all).toContain("monkey=1");
  });

  test("in Markdown, a name cannot be a mention, HTML, a link or a second column", async () => {
    const { out } = await summarise("terraform-plan", "--format", "markdown");
    const lines = out.filter((line) => line.includes("@everyone"));
    // The name has a backtick of its own, so its fence is longer.
    expect(lines).toEqual([expect.stringContaining(`\`\`${HOSTILE}\`\``)]);
    expect(out.join("\n").replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "")).not.toMatch(/[<@|#]\w/);
  });

  const before = { id: "a", name: "b" };
  const CHANGES = [
    { actions: ["delete"], before, after: null },
    { actions: ["update"], before, after: { ...before, name: "c" } },
  ];

  test.each([
    ["erphost", "erphost_server", "Deleted"],
    ["other providers", "aws_db_instance", "Of other providers, not judged"],
  ])("5,000 changes of %s are 60,000 characters of Markdown at most", async (_, type, title) => {
    const resource_changes = Array.from({ length: 5_000 }, (__, index) => {
      return { address: `${type}.a${letters(index)}`, type, change: CHANGES[index % 2] };
    });
    const text = JSON.stringify({ format_version: "1.2", resource_changes });
    const markdown = (await summariseText(text, "b")).out.join("\n");
    expect(markdown.length).toBeLessThanOrEqual(60_000);
    expect(markdown.length).toBeGreaterThan(50_000);
    const json = (await summariseText(text, "--format", "json")).out.join("");
    const [plan] = summarySchema.parse(JSON.parse(json)).plans;
    const deleted = title === "Deleted" ? plan?.counts["delete"] : plan?.others.length;
    const [, section = ""] = markdown.split(`#### ${title}\n`);
    expect(objectsIn(section.split("\n####")[0] ?? "")).toBe(deleted);
    expect(markdown).toMatch(/^Takes [\d,]+ calls /m);
    expect(markdown).toMatch(/left out here/);
  });

  test("in Markdown, more plans than fit are counted", async () => {
    const empty = JSON.stringify({ format_version: "1.2", planned_values: {} });
    const names = Array.from({ length: 3_000 }, (_, index) => `stack-${index}`);
    const { out } = await erphost(["plan-summary", ...names], { readFile: () => empty });
    const markdown = out.join("\n");
    expect(markdown.length).toBeLessThanOrEqual(60_000);
    const shown = markdown.split("\n").filter((line) => line.startsWith("### ")).length;
    const leftOut = Number(/\*\*([\d,]+) more plans/.exec(markdown)?.[1]?.replaceAll(",", ""));
    expect(shown + leftOut).toBe(3_000);
  });

  test("the table is for terminals, in colours unless NO_COLOR is set, Markdown for everything else, and a choice wins", async () => {
    const onTerminal = async (env: Readonly<Record<string, string>>): Promise<string> =>
      (await erphost(["plan-summary", "tofu-plan"], { readFile, isTerminal: true, env })).out.join(
        "\n",
      );
    const deleted = /^ {2}- +erphost_server\.old +server +srv_\d+$/m;
    expect(await onTerminal({ NO_COLOR: "1" })).toMatch(deleted);
    // Red, and back to what it was.
    const coloured = await onTerminal({});
    expect(coloured).toContain("\n  \u001b[31m-  erphost_server.old ");
    expect(stripVTControlCharacters(coloured)).toMatch(deleted);
    expect((await summarise("tofu-plan")).out[0]).toBe("### `tofu-plan`");
    const json = ["plan-summary", "tofu-plan", "--format", "json"];
    expect((await erphost(json, { readFile, isTerminal: true })).out[0]).toBe("{");
  });

  test("a plan is read from standard input, and its bytes may begin with a mark", async () => {
    const readInput = async () => `\uFEFF${readFile("terraform-plan")}`;
    const { code, out } = await erphost(["plan-summary", "-"], { readInput });
    expect({ code, first: out[0] }).toEqual({ code: 0, first: "### `standard input`" });
  });

  test("a plan without a change exits with 0, and one with changes only with 3 when that is asked for", async () => {
    const empty = JSON.stringify({ format_version: "1.2", planned_values: {}, errored: false });
    expect((await summariseText(empty, "--detailed-exitcode")).code).toBe(0);
    expect((await summariseText(empty)).out.join("\n")).toContain("Nothing to do.");
    expect((await summarise("terraform-plan")).code).toBe(0);
    expect((await summarise("terraform-plan", "--detailed-exitcode")).code).toBe(3);
    expect((await summarise("terraform-drift", "--detailed-exitcode")).code).toBe(3);
  });

  test("a number that an engine only writes differently is not reported as drift", async () => {
    const same = { name: "a", properties: { size: 1, list: [1, null] } };
    const change = { actions: ["update"], before: same, after: same };
    const drifted = { address: "erphost_server.a", type: "erphost_server", change };
    const text = JSON.stringify({ format_version: "1.2", resource_drift: [drifted] });
    expect((await summariseText(text, "--detailed-exitcode")).code).toBe(0);
  });

  test.each([
    ["nothing", "", "is empty"],
    ["a saved plan", "PK\u0003\u0004…", "is a saved plan"],
    ["a state", '{"format_version":"1.0","values":{}}', "is a state"],
    ["a stream of events", '{"@level":"info"}\n{"@level":"info"}', "is a stream of events"],
    ["one event", '{"@level":"info"}', "is a stream of events"],
    ["prose", "Error: no plan", "is not a plan in JSON"],
    ["a list", "[]", "is not a plan in JSON"],
    ["half a plan", '{"format_version":"1.2","resource_changes":[{"address":1}]}', "is not a plan"],
  ])("a file with %s is invalid input, by its name", async (_, text, why) => {
    expect(await complaint(2, summariseText(text))).toContain(`a ${why}`);
  });

  test("every file without a plan is named at once, and one that is missing says so", async () => {
    const said = await complaint(2, summarise("terraform-plan", "none", "neither"));
    expect(said).toMatch(/none cannot be read \(ENOENT\).*neither cannot be read/s);
  });

  test("a plan that its engine could not finish says that first", async () => {
    const text = readFile("terraform-plan").replace('"errored":false', '"errored":true');
    const { out } = await summariseText(text);
    expect(out.join("\n")).toContain(
      "**Warning:** The engine reported an error: this plan is not complete.",
    );
  });
});

describe("the key of the apply", () => {
  let emulator: Emulator;
  beforeAll(async () => void (emulator = await startEmulator()));
  afterAll(() => emulator.close());

  async function check(permissions: string[], more = {}) {
    const key = emulator.createKey({ permissions, ...more });
    emulator.clearJournal();
    const env = { ERPHOST_API_KEY: key.value, ERPHOST_BASE_URL: emulator.baseUrl };
    const words = ["plan-summary", "terraform-plan", "--check-key", "--format", "json"];
    const { code, out } = await erphost(words, { env, readFile });
    const { key: verdict } = summarySchema.parse(JSON.parse(out.join("\n")));
    return { code, verdict, calls: emulator.journal().map(({ path }) => path) };
  }

  const ALL = ["servers:*", "instances:*", "backups:*", "teams:*", "api-keys:*"];

  test("one call tells that a key may do everything", async () => {
    const own = [...ALL.slice(0, 4), "api-keys:read", "api-keys:write"];
    const { code, verdict, calls } = await check(own);
    expect({ code, missing: verdict?.missingScopes }).toEqual({ code: 0, missing: [] });
    expect(calls).toEqual(["/auth/test"]);
  });

  test("a key that lacks scopes exits with 1, and they are named", async () => {
    const { code, verdict } = await check(["servers:read", "servers:write", ...ALL.slice(1)]);
    const missing = ["servers:delete"];
    expect({ code, missing: verdict?.missingScopes }).toEqual({ code: 1, missing });
  });

  test("a quota that is too small is reported and exits with 0, because the run waits", async () => {
    const { code, verdict } = await check(["admin"], { key_class: "limited" });
    expect({ code, enough: verdict?.enough }).toEqual({ code: 0, enough: false });
    expect(verdict).toMatchObject({ limit: 10 });
  });

  test("a key that is refused exits with 1, and without a key the input is invalid", async () => {
    const words = ["plan-summary", "terraform-plan", "--check-key"];
    const key = "erp_test_0000000000000000";
    const env = { ERPHOST_API_KEY: key, ERPHOST_BASE_URL: emulator.baseUrl };
    expect((await erphost(words, { env, readFile })).code).toBe(1);
    expect((await erphost(words, { readFile })).code).toBe(2);
  });
});

test("of free fields of any size as many are seen as fit, after the object's own, and the others are counted", async () => {
  const list = (text: string) => Array.from({ length: 40 }, (_, at) => `${at}${text.repeat(118)}`);
  const side = (version: string, text: string) => ({
    ...{ id: "ins_1", version },
    properties: Object.fromEntries([..."abcdefghijklmn"].map((name) => [name, list(text)])),
  });
  const resource_changes = [..."abcdefghi"].map((name) => ({
    ...{ address: `erphost_instance.${name}`, type: "erphost_instance" },
    change: { actions: ["update"], before: side("17.0", "x"), after: side("19.0", name) },
  }));
  const text = JSON.stringify({ format_version: "1.2", resource_changes });
  const markdown = (await summariseText(text)).out.join("\n");
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  const [, ...objects] = markdown.split(/^- `erphost_instance.*\n {2}- `version`/m);
  expect(objects).toHaveLength(9);
  for (const object of objects) {
    const fields = object.match(/^ {2}- `.*$/gm) ?? [];
    // One object leaves room for those after it.
    expect(fields.length).toBeGreaterThan(2);
    for (const field of fields) expect(field.length).toBeLessThan(1_100);
    expect(fields.length + Number(/… and (\d+) more fields/.exec(object)?.[1])).toBe(14);
  }
});

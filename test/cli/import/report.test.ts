import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { markdown, warningsOf } from "../../../cli/import/report";
import { importableKinds } from "../../../cli/import/request";
import { folder } from "../../support/given";
import { erphost } from "../support";
import { importing, NOTHING, type Importing } from "./support";

async function account(): Promise<Importing> {
  const here = await importing();
  const { emulator } = here;
  emulator.createObjects("server", [
    { name: "ERP Production", region: "eu", root_password: "correct horse" },
    { name: "", odd: true },
    { name: "a | b `c`\n<d>" },
  ]);
  const erp = { name: "erp", server_id: "srv_1", version: "17.0", edition: "community" };
  emulator.createObjects("instance", erp);
  return here;
}

describe("the report of an import", () => {
  test("without a target it says what could be taken over, and writes nothing", async () => {
    const { emulator, names } = await account();
    const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
    const { code, out } = await erphost(["import", "--kind", "server", "--report"], { env });
    expect(code).toBe(0);
    expect(out).toContain("| Server | 3 | 0 | 0 | 3 |");
    expect(out.join("\n")).toContain("| Server | `srv_1` | `ERP Production` | No program has it.");
    expect(names()).toEqual([]);
  });

  test("names what is unmanaged and what cannot be had, with the reasons", async () => {
    const { run } = await account();
    const { out } = await run(["--kind", "server", "--name", "ERP*", "--report"]);
    const text = out.join("\n");
    expect(text).toContain("| Server | 3 | 0 | 1 | 2 |");
    expect(text).toContain("| Server | `srv_2` | `(blank)` | The options leave it out. |");
    expect(text).toContain("``a \\| b `c`\uFFFD<d>``");
    expect(text).toContain("- `server.root_password` (`srv_1`): It may hold a secret");
    expect(text).toContain("- `invoice`: The service only lists them");
    expect(text).toContain("- `api_key_rotation`: It is a declaration of a program");
    expect(text).toContain("| Server | `region` | 1 |");
    expect(text).not.toContain("correct horse");
  });

  test("in a file it is Markdown, or JSON where the file's name says so", async () => {
    const { run } = await account();
    const place = folder();
    const [page, data] = [join(place, "report.md"), join(place, "report.json")];
    expect(await run(["--report", page])).toMatchObject({ code: 0 });
    expect(readFileSync(page, "utf8")).toMatch(/^# Objects of the test account at http/);
    expect(await run(["--report", data])).toMatchObject({ code: 0 });
    const servers = {
      ...{ kind: "server", listed: 3, managed: { program: 2, state: 0 }, taken: [] },
      unmanaged: [{ id: "srv_2", name: "", why: "name must not be empty." }],
      ...{ incomplete: false, freeFields: { region: 1 } },
    };
    expect(JSON.parse(readFileSync(data, "utf8"))).toMatchObject({
      account: { environment: "test" },
      kinds: expect.arrayContaining([servers]),
    });
  });
});

describe("what an import leaves out", () => {
  test("objects that no program can declare are counted, also without a report", async () => {
    const { emulator, run } = await importing();
    emulator.createObjects("team", { odd: true });
    const alone = await run(["--kind", "team"]);
    expect(alone).toMatchObject(NOTHING);
    expect(alone.err).toContain("warning: 1 team cannot be declared (--report says why).");
    emulator.createObjects("team", { odd: true });
    const { err } = await run(["--kind", "team", "--report"]);
    expect(err).toContain("warning: 2 teams cannot be declared.");
  });

  test("what the service says begins no markup, and notifies nobody", () => {
    const why = "@acme/team ![x](http://a/x.png) *<b>*";
    const unavailable = [{ what: "api_key", ids: [], why }];
    const account = { baseUrl: "", environment: "test" } as const;
    const text = markdown({ account, kinds: [], unavailable });
    expect(text).toContain(String.raw`: \@acme/team !\[x\](http://a/x.png) \*\<b\>\*`);
  });

  test("a list that changed each time it was read is named, also without a report", () => {
    const [kind] = importableKinds.filter(({ name }) => name === "api_key");
    assert(kind);
    const objects = { taken: [], known: [], unselected: [], unusable: [], otherKeys: [] };
    const free = new Map<string, number>();
    const inventory = { kind, unread: undefined, moved: true, ...objects, free };
    expect(warningsOf([inventory, { ...inventory, moved: false }], false)).toEqual([
      "API keys changed each time they were read: run this again.",
    ]);
  });
});

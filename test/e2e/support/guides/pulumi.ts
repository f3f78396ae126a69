import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { ask } from "../../../support/ask";
import { startEmulator } from "../../../../emulator";
import { stepsOfCreate } from "../../../chaos/moments";
import { furnish } from "../../../support/finding";
import { snippet } from "../guide";
import { refusal } from "../output";
import { twinOf, writesTo } from "../places";
import { Reader } from "./reader";
import { beginningWith, LOST, type Walk } from "./walk";

const ACCOUNT = "https://erp.example.com/v1";
const YAML = "name: guides\nruntime: yaml\n";

const plugin: Walk = {
  page: "pulumi-plugin",
  claim: "the first up is killed, and after a cancel the next one continues it",
  moments: beginningWith(LOST, stepsOfCreate),
  go: async (ground) => {
    const stack = await ground.pulumi({ "Pulumi.yaml": YAML });
    // The page makes the stack.
    for (const file of [stack.stateFile, join(stack.program, "Pulumi.dev.yaml")]) rmSync(file);
    delete stack.env["PULUMI_STACK"];
    const standIns = { [ACCOUNT]: ground.url };
    const reader = new Reader("pulumi-plugin", stack, standIns, stack.program);
    reader.file("Pulumi.yaml", "erphost:Installation");
    const typed = ground.emulator.adminKey;
    await reader.cutOff(ground, reader.text("pulumi stack init"), { typed });
    await reader.does("pulumi cancel");
    await reader.does("pulumi up");
    await reader.run("pulumi preview --expect-no-changes");
    expect(["server", "instance"].map(ground.names)).toEqual([["shop"], ["shop"]]);
  },
};

const single: Walk = {
  page: "guides/import",
  claim: "what exists is found, and objects are imported one by one",
  go: async (ground) => {
    furnish(ground.emulator);
    ground.emulator.createObjects("server", { name: "erp-main" });
    const env = { ERPHOST_BASE_URL: ground.url, ERPHOST_API_KEY: ground.emulator.adminKey };
    // The host that is built here cannot write programs.
    const without = { PULUMI_OPTION_GENERATE_CODE: "false" };
    const stack = await ground.pulumi({ "Pulumi.yaml": YAML }, { ...env, ...without });
    const finding = new Reader("guides/finding", stack, {}, stack.program);
    finding.file("Pulumi.yaml", "fn::invoke", (text) =>
      text.replace("name: restore", "name: guides"),
    );
    expect(await finding.run("pulumi preview")).toContain('"bak_2"');
    finding.write("Pulumi.yaml", "name: guides\nruntime: nodejs\n");
    const adopting = new Reader("guides/import", stack, {}, stack.program);
    finding.file("index.ts", "getBackupOutput", (text) => text + adopting.text("adoptId"));
    const previewed = await finding.run("pulumi preview");
    expect(previewed).toMatch(/restoreFrom *: "bak_2"/);
    expect(previewed).toMatch(/Server main +create/);
    finding.write("Pulumi.yaml", YAML);
    await adopting.follow("pulumi import");
    const imported = [...stack.stateText().matchAll(/"id": ?"((?:srv|ins)_\d+)"/g)];
    expect(imported.map(([, id]) => id)).toEqual(["srv_1", "ins_1"]);
    expect(writesTo(ground.emulator)).toEqual([]);
  },
};

const dynamic: Walk = {
  page: "guides/accounts",
  claim: "a program of two accounts makes its objects in each, and works after a key was replaced",
  go: async (ground) => {
    const eu = await startEmulator({ provisionMs: 0 });
    ground.atEnd(() => eu.close());
    eu.createObjects("server", { name: "erp-old" });
    const files = {
      "Pulumi.yaml": "name: guides\nruntime: nodejs\n",
      "index.ts": snippet("accounts", "ts", "class Shop"),
    };
    const env = { ERPHOST_BASE_URL: ground.url, ERPHOST_API_KEY: ground.emulator.adminKey };
    const stack = await ground.pulumi(files, env);
    const standIns = { "https://eu.example.com/v1": eu.baseUrl };
    const reader = new Reader("guides/accounts", stack, standIns, stack.program);
    reader.file("index.ts", "class Shop");
    const key = eu.createKey({ name: "pipeline", permissions: ["admin"] });
    await reader.follow("accounts.eu.apiKey", key.value);
    await reader.run("pulumi up");
    expect(ground.names("server")).toEqual(["erp-main"]);
    const names = () => eu.objects("server").map(({ name }) => name);
    expect(names().sort()).toEqual(["erp-main", "erp-old", "shop"]);
    const next = eu.createKey({ name: "next", permissions: ["admin"] });
    eu.removeObject("api_key", key.id);
    await reader.follow("accounts.eu.apiKey", next.value);
    await reader.does("pulumi up");
    expect(names().sort()).toEqual(["erp-main", "erp-old", "shop"]);
  },
};

const twin: Walk = {
  page: "guides/rehearse",
  claim: "a copy of a stack is refreshed and changed on a twin, and the account sees reads alone",
  go: async ({ emulator, url, pulumi }) => {
    const program = (name: string): string =>
      `${YAML}resources:\n  main:\n    type: erphost:Server\n    properties: { name: ${name} }\n`;
    const stack = await pulumi({ "Pulumi.yaml": program("erp-main") });
    delete stack.env["PULUMI_STACK"];
    const setUp = new Reader("pulumi-plugin", stack, { [ACCOUNT]: url }, stack.program);
    const init = setUp.text("pulumi stack init").replace("init dev", "init prod");
    await setUp.run(init, emulator.adminKey);
    emulator.clearJournal();
    await twinOf({ baseUrl: url, createKey: (key) => emulator.createKey(key) }, async (env) => {
      const { ERPHOST_BASE_URL: address = "", ERPHOST_API_KEY: key = "" } = env;
      const exported = Object.entries(env).map(([name, text]) => `${name}=${text}`);
      const standIns = { "http://127.0.0.1:4010/v1": address, erp_live_twin: key };
      const reader = new Reader("guides/rehearse", stack, standIns, stack.program);
      await reader.run(`export ${exported.join(" ")}`);
      reader.write("Pulumi.yaml", program("erp-next"));
      expect(await reader.follow("pulumi stack export")).toContain("1 updated");
      const servers = await ask({ baseUrl: address }, "GET /servers", { key });
      expect(await servers.text()).toContain("erp-next");
      // Another terminal, of somebody who would continue there.
      reader.terminal(join(stack.folder, "rehearsal"));
      expect(refusal(await reader.start("pulumi up --stack prod").finished)).toContain(
        "belongs to the account at",
      );
    });
    expect(writesTo(emulator)).toEqual([]);
  },
};

export const walks: readonly Walk[] = [plugin, single, dynamic, twin];

/** What readers of the pages about Pulumi do, and what comes of it. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { startEmulator } from "../../../../emulator";
import { stepsOfCreate } from "../../../chaos/moments";
import { furnish } from "../../../support/finding";
import { snippet } from "../guide";
import { writesTo } from "../places";
import { Reader } from "./reader";
import type { Walk } from "./walk";

const ACCOUNT = "https://erp.example.com/v1";
const YAML = "name: guides\nruntime: yaml\n";

const plugin: Walk = {
  page: "pulumi-plugin",
  claim: "the first up is killed, and after a cancel the next one continues it",
  moments: stepsOfCreate,
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
  claim: "objects are imported one by one, and what exists is found",
  go: async (ground) => {
    furnish(ground.emulator);
    const env = { ERPHOST_BASE_URL: ground.url, ERPHOST_API_KEY: ground.emulator.adminKey };
    const stack = await ground.pulumi({ "Pulumi.yaml": YAML }, env);
    const reader = new Reader("guides/import", stack, {}, stack.program);
    await reader.follow("pulumi import");
    const imported = [...stack.stateText().matchAll(/"id": "((?:srv|ins)_\d+)"/g)];
    expect(imported.map(([, id]) => id)).toEqual(["srv_1", "ins_1"]);
    const finding = new Reader("guides/finding", stack, {}, stack.program);
    finding.file("Pulumi.yaml", "fn::invoke", (text) =>
      text.replace("name: restore", "name: guides"),
    );
    expect(await finding.run("pulumi preview")).toContain('"bak_2"');
    expect(writesTo(ground.emulator)).toEqual([]);
  },
};

const dynamic: Walk = {
  page: "guides/accounts",
  claim:
    "a program of two accounts makes its objects in each, and goes on after a key was replaced",
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
    expect(names()).toEqual(["erp-old", "erp-main", "shop"]);
    const next = eu.createKey({ name: "next", permissions: ["admin"] });
    eu.revokeKey(key.id);
    await reader.follow("accounts.eu.apiKey", next.value);
    await reader.does("pulumi up");
    expect(await reader.run("pulumi up --refresh")).not.toMatch(/\d (?:created|updated|deleted)/);
    expect(names()).toEqual(["erp-old", "erp-main", "shop"]);
  },
};

export const walks: readonly Walk[] = [plugin, single, dynamic];

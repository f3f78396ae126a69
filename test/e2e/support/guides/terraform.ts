import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { armor, Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { erphost } from "../../../cli/support";
import { stepsOfRotation } from "../../../chaos/claims/rotation";
import { stepsOfCreate } from "../../../chaos/moments";
import { ask, isAccepted } from "../../../support/ask";
import { HEADER } from "../../../harness/terraform-workspace";
import { snippet } from "../guide";
import { refusal } from "../output";
import { writesTo } from "../places";
import { Reader } from "./reader";
import { beginningWith, LOST, requests, type Ground, type Walk } from "./walk";

const ACCOUNT = "https://erp.example.com/v1";
const FIRST = snippet("first-steps", "terraform");
const SERVER = `${HEADER}resource "erphost_server" "main" {\n  name = "erp-main"\n}\n`;
const LIVE = { adminKey: "erp_live_0123456789abcdef" } as const;

/** Nothing is there twice, and nothing is missing. */
const expectFirst = ({ names }: Ground): void =>
  expect([names("server"), names("instance"), names("api_key").slice(1)]).toEqual([
    ["erp-main"],
    ["erp"],
    ["ci"],
  ]);

const ownPipeline: Walk = {
  page: "guides/pipelines",
  claim: "a run of a pipeline of one's own is killed, and the next one continues it",
  moments: beginningWith(LOST, stepsOfCreate),
  emulator: LIVE,
  go: async (ground) => {
    const { url } = ground;
    const reader = new Reader("guides/pipelines", await ground.terraform(), { [ACCOUNT]: url });
    reader.write("main.tf", FIRST);
    const run = reader.text("set -e");
    await reader.cutOff(ground, run, { intents: join(reader.folder, ".erphost") });
    await reader.run(run);
    expectFirst(ground);
    await reader.run("terraform plan -detailed-exitcode");
  },
};

const anyMachine: Walk = {
  page: "guides/pipelines",
  claim: "a run with a scope is killed, and another machine continues it by the state alone",
  moments: beginningWith(LOST, stepsOfCreate),
  emulator: LIVE,
  go: async (ground) => {
    const { url, emulator } = ground;
    const place = await ground.terraform({ ERPHOST_BASE_URL: url, ERPHOST_SAME_NAME: "error" });
    const reader = new Reader("guides/pipelines", place);
    await reader.follow("export ERPHOST_SCOPE");
    reader.file("main.tf", 'provider "erphost"', (block) =>
      FIRST.replace('provider "erphost" {}', () => block),
    );
    await reader.cutOff(ground, "terraform apply -auto-approve");
    rmSync(place.env["ERPHOST_INTENTS_DIR"] ?? "", { recursive: true, force: true });
    if (emulator.objects("server").length > 0) {
      const asked = await reader.start("terraform apply -auto-approve").finished;
      expect(refusal(asked)).toContain("set resume (ERPHOST_RESUME) to true for one run");
    }
    await reader.run("ERPHOST_RESUME=true terraform apply -auto-approve");
    expectFirst(ground);
    await reader.run("terraform plan -detailed-exitcode");
  },
};

const rotation: Walk = {
  page: "rotation",
  claim: "a run is killed while it rotates its own key, and the next one gets the new secret",
  moments: beginningWith(LOST, stepsOfRotation),
  go: async (ground) => {
    const { url, emulator } = ground;
    const identity = await generateX25519Identity();
    const place = await ground.terraform({ ERPHOST_BASE_URL: url });
    const reader = new Reader("rotation", place);
    const key = snippet("pipelines", "terraform", "recipient");
    reader.write("main.tf", HEADER + key.replace(/age1\w+/, await identityToRecipient(identity)));
    /** What a pipeline does after a run: its next one has the key that this one left. */
    const takeKey = async (): Promise<string> => {
      const output = await reader.run("terraform output -json pipeline_key");
      const { encrypted_value: sealed } = JSON.parse(output) as { encrypted_value: string };
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      const value = await decrypter.decrypt(armor.decode(sealed), "text");
      await reader.run(`export ERPHOST_API_KEY=${value}`);
      return value;
    };
    await reader.does("terraform apply -auto-approve");
    const old = await takeKey();
    emulator.advance("31d");
    emulator.clearJournal();
    await reader.cutOff(ground, "terraform apply -auto-approve");
    await reader.does("terraform apply -auto-approve");
    expect(await isAccepted(ground.emulator, old)).toBe(true);
    const next = await takeKey();
    expect([next === old, await isAccepted(ground.emulator, next)]).toEqual([false, true]);
    await reader.run("terraform plan -detailed-exitcode");
  },
};

const twin: Walk = {
  page: "guides/rehearse",
  claim:
    "the reading of a twin is killed and begun again, and a terminal that knows nothing of the twin changes nothing in the account",
  moments: requests(6, 3),
  go: async (ground) => {
    const { url, emulator } = ground;
    const place = await ground.terraform({ ERPHOST_BASE_URL: url });
    const reading = emulator.createKey({ name: "reader", permissions: ["read", "billing:read"] });
    const standIns: Record<string, string> = { [ACCOUNT]: url, acme_live_4f9c2b7d: reading.value };
    const reader = new Reader("guides/rehearse", place, standIns);
    reader.write("main.tf", FIRST);
    await reader.run("terraform apply -auto-approve");
    emulator.clearJournal();
    const start = reader.text("ERPHOST_FROM_API_KEY");
    await reader.cutOff(ground, start);
    expect(existsSync(join(reader.folder, "twin.json"))).toBe(false);
    const [said, server] = await reader.leaveRunning(start, "ERPHOST_TWIN_OF=");
    ground.atEnd(() => server.kill());
    const [, address = "", key = ""] = /_URL=(\S+) ERPHOST_API_KEY=(\S+)/.exec(said) ?? [];
    Object.assign(standIns, { "http://127.0.0.1:4010/v1": address, erp_live_twin: key });
    expect(said).toContain(reader.text("ERPHOST_TWIN_OF="));
    reader.terminal();
    await reader.follow("ERPHOST_TWIN_OF=");
    reader.write("main.tf", FIRST.replace('"erp-main"', '"erp-next"'));
    expect(await reader.follow("rehearsal_override.tf")).toContain("1 changed");
    const servers = await ask({ baseUrl: address }, "GET /servers", { key });
    expect(await servers.text()).toContain("erp-next");
    // Another terminal, of somebody who would continue there.
    reader.terminal(join(place.folder, "rehearsal"));
    const unsent = await reader.start("terraform apply -auto-approve").finished;
    expect(refusal(unsent)).toContain("Check that api_key (ERPHOST_API_KEY) belongs to");
    expect(writesTo(emulator)).toEqual([]);
  },
};

const newAddress: Walk = {
  page: "guides/rehearse",
  claim: "a move to a new address is killed and repeated, and changes nothing in the service",
  moments: requests(14, 9),
  go: async (ground) => {
    const { url, emulator } = ground;
    const reader = new Reader("guides/rehearse", await ground.terraform(), {
      "https://new.example.com/v1": emulator.baseUrl,
      "https://old.example.com/v1": url,
    });
    reader.write("main.tf", FIRST);
    const made = `ERPHOST_BASE_URL=${url} terraform apply -auto-approve`;
    await reader.run(`${made}`);
    emulator.clearJournal();
    const move = reader.text("ERPHOST_FORMER_BASE_URL");
    await reader.cutOff(ground, move);
    reader.terminal();
    expect(await reader.run(move)).toMatch(/No changes\.[^]*$/);
    expect(writesTo(emulator)).toEqual([]);
  },
};

const whole: Walk = {
  page: "guides/import",
  claim:
    "the reading of an account is killed and continued, and its program imports all and changes nothing",
  moments: requests(5, 2),
  go: async (ground) => {
    const { url, emulator } = ground;
    emulator.createObjects("server", { name: "ERP Production" });
    const instance = { name: "erp", server_id: "srv_1", version: "17.0", edition: "community" };
    emulator.createObjects("instance", instance);
    const place = await ground.terraform({ ERPHOST_BASE_URL: url });
    const reader = new Reader("guides/import", place);
    const lines = reader.text("--out infrastructure");
    await reader.cutOff(ground, lines);
    expect(await reader.run(lines)).toMatch(/3 to import, 0 to add, 0 to change, 0 to destroy/);
    expect(await reader.run("terraform apply -auto-approve")).toContain(
      "3 imported, 0 added, 0 changed, 0 destroyed",
    );
    await reader.run("rm imports.tf; terraform plan -detailed-exitcode");
    const plain = (file: string): string => reader.read(file).replace(/\n {2}#.*$/gm, "");
    const written = ["servers", "instances"].map((name) => plain(`infrastructure/${name}.tf`));
    for (const part of ['"erp_production"', '"erphost_instance" "erp"']) {
      expect(written.join("\n")).toContain(reader.text(part));
    }
    for (const [format, file, part] of [
      ["terraform", "imports.tf", "erphost_instance.erp\n"],
      ["pulumi-yaml", "Pulumi.yaml", "erphost:Instance"],
      ["pulumi-python", "instances.py", "import_="],
      ["cdktf", "instances.ts", "importFrom"],
    ] as const) {
      const words = ["import", "--to", format, "--out", join(reader.folder, format)];
      expect(await erphost(words, { env: place.env })).toMatchObject({ code: 0 });
      const text = reader.text(part).replace(/^\/\/ .*\n/, "");
      expect(reader.read(`${format}/${file}`)).toContain(text.replace("resources:\n", ""));
    }
    expect(writesTo(emulator)).toEqual([]);
  },
};

const modules: Walk = {
  page: "guides/modules",
  claim: "the module makes its server without the optional arguments, and with them",
  go: async (ground) => {
    const place = await ground.terraform({ ERPHOST_BASE_URL: ground.url });
    const reader = new Reader("guides/modules", place);
    reader.file("shop/main.tf", "secret_properties_wo");
    const call = (name: string, more = ""): string =>
      `module "${name}" {\n  source = "./shop"\n  name   = "${name}"\n${more}}\n`;
    reader.write("main.tf", call("bare") + call("full", '  region   = "eu"\n  password = "x"\n'));
    const lines =
      "terraform init; terraform apply -auto-approve; terraform plan -detailed-exitcode";
    await reader.run(lines);
    expect(ground.emulator.objects("server")).toEqual(
      expect.arrayContaining([
        expect.not.objectContaining({ region: "eu" }),
        expect.objectContaining({ name: "full", region: "eu", password: "x" }),
      ]),
    );
  },
};

const firstSteps: Walk = {
  page: "guides/first-steps",
  claim:
    "the first program is applied, its change is planned as it is shown, and the client lists its server",
  go: async (ground) => {
    const place = await ground.terraform({ ERPHOST_BASE_URL: ground.url }, "tofu");
    const reader = new Reader("guides/first-steps", place, { [ACCOUNT]: ground.url });
    reader.file("main.tf", "deletion_protection");
    await reader.run("tofu apply -auto-approve");
    reader.write("main.tf", FIRST.replace("17.0", "18.0"));
    expect(await reader.does("tofu plan")).toContain(
      reader.text("will be updated in-place").trimEnd(),
    );
    reader.install();
    reader.file("list.mts", "new ErpHost");
    expect(await reader.run("node list.mts")).toBe("srv_1 erp-main\n");
  },
};

const testing: Walk = {
  page: "guides/testing",
  claim: "programs are tried on mocks and on the emulator, by a shell that has a real account",
  go: async (ground) => {
    const { emulator, url } = ground;
    const place = await ground.terraform({ ERPHOST_BASE_URL: "https://erp.example.invalid/v1" });
    const reader = new Reader("guides/testing", place, { "http://127.0.0.1:4010/v1": url });
    reader.write("main.tf", SERVER);
    reader.file("tests/mock.tftest.hcl", "mock_provider");
    reader.file("tests/life.tftest.hcl", "is_ready");
    expect(await reader.run("terraform test")).toContain("Success! 3 passed, 0 failed.");
    expect(emulator.journal().map(({ method }) => method)).toContain("DELETE");
    await reader.run(`export ERPHOST_BASE_URL=${url}`);
    await reader.follow("destroy -auto-approve");
    expect(ground.names("server")).toEqual([]);
    reader.install("@pulumi/pulumi");
    for (const part of ["setMocks", "startEmulator"]) {
      reader.file("program.mts", part);
      expect(await reader.run("node program.mts")).toBe("");
    }
  },
};

const authentication: Walk = {
  page: "guides/authentication",
  claim: "whoami says what a key can do, and one of another environment is refused before any call",
  go: async (ground) => {
    const place = await ground.terraform();
    const reader = new Reader("guides/authentication", place, { [ACCOUNT]: ground.url });
    expect(await reader.follow("erphost whoami")).toContain("admin");
    ground.emulator.clearJournal();
    const { code } = await reader.start("ERPHOST_ENVIRONMENT=live erphost whoami").finished;
    expect([code, ground.emulator.journal()]).toEqual([2, []]);
  },
};

export const walks: readonly Walk[] = [
  ...[ownPipeline, anyMachine, rotation, twin, newAddress, whole, modules, firstSteps],
  ...[testing, authentication],
];

/** What readers of the pages about Terraform and OpenTofu do, and what comes of it. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { stepsOfCreate } from "../../../chaos/moments";
import { snippet } from "../guide";
import { expectDone, refusal } from "../output";
import { Reader } from "./reader";
import type { Ground, Walk } from "./walk";

const ACCOUNT = "https://erp.example.com/v1";
const FIRST = snippet("first-steps", "terraform");
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
  moments: stepsOfCreate,
  emulator: LIVE,
  go: async (ground) => {
    const { scene, moment, url } = ground;
    const reader = new Reader("guides/pipelines", await ground.terraform(), { [ACCOUNT]: url });
    reader.write("main.tf", FIRST);
    const run = reader.text("set -e");
    await reader.cutOff(scene, moment, run, join(reader.folder, ".erphost"));
    expectDone(await reader.start(run).finished);
    expectFirst(ground);
    expectDone(await reader.start("terraform plan -detailed-exitcode").finished);
  },
};

const anyMachine: Walk = {
  page: "guides/pipelines",
  claim: "a run with a scope is killed, and another machine continues it by the state alone",
  moments: stepsOfCreate,
  emulator: LIVE,
  go: async (ground) => {
    const { scene, moment, url, emulator } = ground;
    const place = await ground.terraform({ ERPHOST_BASE_URL: url, ERPHOST_SAME_NAME: "error" });
    const reader = new Reader("guides/pipelines", place);
    await reader.follow("export ERPHOST_SCOPE");
    reader.file("main.tf", 'provider "erphost"', (block) =>
      FIRST.replace('provider "erphost" {}', () => block),
    );
    expectDone(await reader.start("terraform init").finished);
    await reader.cutOff(scene, moment, "terraform apply -auto-approve");
    rmSync(place.env["ERPHOST_INTENTS_DIR"] ?? "", { recursive: true, force: true });
    if (emulator.objects("server").length > 0) {
      const asked = await reader.start("terraform apply -auto-approve").finished;
      expect(refusal(asked)).toContain("set resume (ERPHOST_RESUME) to true for one run");
    }
    expectDone(await reader.start("ERPHOST_RESUME=true terraform apply -auto-approve").finished);
    expectFirst(ground);
    expectDone(await reader.start("terraform plan -detailed-exitcode").finished);
  },
};

export const walks: readonly Walk[] = [ownPipeline, anyMachine];

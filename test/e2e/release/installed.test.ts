/** The packed package in empty folders: nothing of the checkout is near it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import { consumerProject, OLDEST } from "../../../scripts/check/package/consumers";
import {
  ALONE,
  COMMAND,
  ENTRIES,
  hasStack,
  Project,
  tryFaces,
  WITH_PEERS,
} from "../../../scripts/check/package/faces";
import { ensureNodeRelease, minimumNode } from "../../../scripts/engines/node.cjs";
import { packed } from "../../../scripts/release/pack";
import { bundled } from "../../../scripts/supply-chain/lock-file.cjs";
import { opened } from "../support/opened";

const root = join(__dirname, "../../..");
jest.setTimeout(300_000);
const MINIMUM = minimumNode(root);
/** A release that is out of support, and that hosts such as Pulumi's may still run. */
const TOO_OLD = "20.20.2";

const nodeOf = (version: string): Promise<string> => ensureNodeRelease(root, process.env, version);

let alone: Project;
let complete: Project;

beforeAll(async () => {
  const archive = await packed(root);
  // A version that age-encryption would take as well.
  alone = opened(await Project.install(archive, { "@scure/base": "2.0.0" }));
  complete = opened(await consumerProject(archive, OLDEST));
});

describe(`on Node.js ${MINIMUM}, the oldest that is supported,`, () => {
  test("the command, the emulator, the client, webhooks and the handler of the packed package work without a warning", async () => {
    expect(await tryFaces(alone, ALONE, await nodeOf(MINIMUM))).toEqual([]);
  });

  test("constructs of the packed package are synthesised, and resources are registered with Pulumi", async () => {
    expect(await tryFaces(complete, WITH_PEERS, await nodeOf(MINIMUM))).toEqual([]);
  });
});

describe("on a Node.js that is too old,", () => {
  const sentence = (node: string): string =>
    `erphost needs Node.js ${MINIMUM} or later, and ${node} is v${TOO_OLD}.`;

  test("the command says so in one sentence, and fails", async () => {
    const node = await nodeOf(TOO_OLD);
    const { code, output } = await alone.run(node, [COMMAND, "whoami"]);
    expect({ code, output }).toEqual({ code: 1, output: `${sentence(node)}\n` });
  });

  test("each entry says so in one sentence before it loads anything, without a stack", async () => {
    const node = await nodeOf(TOO_OLD);
    for (const entry of ENTRIES) {
      for (const load of [`require("${entry}")`, `import("${entry}")`]) {
        const { code, output } = await complete.run(node, ["-e", load]);
        expect([entry, code, hasStack(output)]).toEqual([entry, 1, false]);
        expect(output).toContain(`\n${sentence(node)}\n`);
      }
    }
  });

  test("a program can catch what an entry says", async () => {
    const node = await nodeOf(TOO_OLD);
    const program = 'try { require("erphost"); } catch (error) { console.log(error.message); }';
    const caught = { code: 0, output: `${sentence(node)}\n` };
    expect(await alone.run(node, ["-e", program])).toMatchObject(caught);
  });
});

test("what Pulumi's dynamic provider loads in each command is one file, with the licence of what is in it", async () => {
  const program = `
    require("erphost/pulumi/handler");
    const files = Object.keys(require.cache).map((file) => file.replace(/.*node_modules./, ""));
    const own = files.filter((file) => file !== "erphost/package.json");
    console.log(own.join(), require("node:fs").readFileSync(require.resolve("erphost/pulumi/handler"), "utf8").includes("Colin McDonnell"));
  `;
  expect(await alone.run(process.execPath, ["-e", program])).toMatchObject({
    output: "erphost/dist/provider/pulumi/dynamic/handler.js true\n",
  });
});

test("what the archive brings is used in the version that is locked, also next to another one that would do", () => {
  const versionIn = (folder: string) => {
    const text = readFileSync(join(folder, "package.json"), "utf8");
    return (JSON.parse(text) as { version: string }).version;
  };
  expect(versionIn(join(alone.folder, "node_modules/@scure/base"))).toBe("2.0.0");
  const folders = bundled();
  expect(folders).toContain("node_modules/@scure/base");
  for (const each of folders) {
    const installed = join(alone.folder, "node_modules/erphost", each);
    expect([each, versionIn(installed)]).toEqual([each, versionIn(join(root, each))]);
  }
});

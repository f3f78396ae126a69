/** What it is worth that the Node.js SDK is packed compiled, compared with its raw sources. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { generateSdk } from "../../scripts/release/sdks/generate";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import { packedNodeSdk } from "../e2e/support/pulumi-sdks";
import { newProject, PROGRAM } from "../e2e/support/pulumi-template";
import { PulumiStack } from "../harness/pulumi-stack";
import { inTurns, timed, type Section } from "./section";

/** The rest of a preview is the same for both: Pulumi itself, and the check of the program's types. */
const LOAD_RATIO_MAX = 0.5;

/** In front of the program: how many milliseconds the SDK takes to load, after Pulumi's own. */
const MEASURED = `import * as fs from "fs";
require("@pulumi/pulumi");
const startedAt = performance.now();
const { ApiKey, Backup, Instance, Server, Team } = require("@erphost/pulumi-native");
for (const each of [ApiKey, Backup, Instance, Server, Team]) each.isInstance(undefined);
fs.writeFileSync("load-ms", String(performance.now() - startedAt));
`;

/** The SDK as the generator writes it, in a checkout: it finds what it needs in the folder above. */
async function rawSources(): Promise<string> {
  const sources = join(mkdtempSync(join(tmpdir(), "erphost-raw-")), "nodejs");
  await generateSdk("nodejs", join(__dirname, "../../schema.json"), sources, process.env);
  const path = join(sources, "package.json");
  // The generator writes an object.
  const { name, version, pulumi } = JSON.parse(readFileSync(path, "utf8")) as Record<
    string,
    unknown
  >;
  writeFileSync(path, JSON.stringify({ name, version, pulumi }));
  symlinkSync(join(__dirname, "../../node_modules"), join(sources, "node_modules"), "junction");
  return sources;
}

/** A stack in a new project of Pulumi's template, with the plugin and the SDK. */
async function open(emulator: Emulator, sdk: string): Promise<PulumiStack> {
  const stack = await PulumiStack.create({
    program: join(__dirname, "programs", "many"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
  // As in a new project, where nobody has turned the check of types off.
  delete stack.env["PULUMI_NODEJS_TRANSPILE_ONLY"];
  await installPlugin(stack);
  stack.write("Pulumi.yaml", "name: many\nruntime: nodejs\n");
  newProject(stack, sdk);
  stack.write("index.ts", MEASURED + PROGRAM);
  return stack;
}

/** @returns how many seconds of it went into loading the SDK */
async function preview(stack: PulumiStack): Promise<number> {
  const { code, output } = await stack.preview();
  if (code !== 0) throw new Error(`A preview failed:\n${output}`);
  return Number(readFileSync(join(stack.program, "load-ms"), "utf8")) / 1_000;
}

export const sdkSection: Section = {
  name: "sdk",
  programs: ["pulumi", ["pulumi-sdk-gen", "3.253.0"]],
  about: "pulumi preview in a new project of Pulumi's template, with the packed Node.js SDK",
  async run({ rounds, say }) {
    const emulator = await startEmulator({ provisionMs: 0 });
    const sources = await rawSources();
    const packed = await open(emulator, await packedNodeSdk(process.env["PATH"] ?? ""));
    const raw = await open(emulator, sources);
    const loads = { ours: [] as number[], reference: [] as number[] };
    try {
      say("preview");
      const times = await inTurns(rounds, {
        ours: async () => loads.ours.push(await preview(packed)),
        reference: async () => loads.reference.push(await preview(raw)),
      });
      const against = (samples: readonly number[]) => ({
        name: "the sources that the generator writes",
        // Without the first, which only warms the caches.
        samples: samples.slice(-rounds),
      });
      return [
        timed("preview of a new program", times.ours, against(times.reference)),
        timed(
          "loading the SDK in it",
          loads.ours.slice(-rounds),
          against(loads.reference),
          LOAD_RATIO_MAX,
        ),
      ];
    } finally {
      for (const stack of [packed, raw]) stack.remove();
      rmSync(sources, { recursive: true, force: true });
      await emulator.close();
    }
  },
};

/** What it is worth that the Node.js SDK is packed compiled: a preview, compared with raw sources. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { generateSdk } from "../../scripts/release/sdks/generate";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import { packedNodeSdk } from "../e2e/support/pulumi-sdks";
import { newProject, writeProgram } from "../e2e/support/pulumi-template";
import { PulumiStack } from "../harness/pulumi-stack";
import { inTurns, timed, type Section } from "./section";

/** The aim: half the time. */
const RATIO_MAX = 0.5;

const PROJECT = "name: sdk\nruntime: nodejs\n";

/** A stack in a new project of Pulumi's template, with the plugin and the packed SDK. */
async function open(emulator: Emulator): Promise<PulumiStack> {
  const stack = await PulumiStack.create({
    program: join(__dirname, "programs", "many"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
  // As in a new project, where nobody has turned the check of types off.
  delete stack.env["PULUMI_NODEJS_TRANSPILE_ONLY"];
  await installPlugin(stack);
  stack.write("Pulumi.yaml", PROJECT);
  newProject(stack, await packedNodeSdk(process.env["PATH"] ?? ""));
  writeProgram(stack);
  return stack;
}

/** Puts what the generator writes in the place of the package, as a link to a folder does. */
async function linkSources(stack: PulumiStack): Promise<void> {
  const modules = join(stack.program, "node_modules");
  const sources = join(mkdtempSync(join(tmpdir(), "erphost-raw-")), "nodejs");
  await generateSdk("nodejs", join(__dirname, "../../schema.json"), sources, process.env);
  const path = join(sources, "package.json");
  // The generator writes an object.
  const { main, types, ...raw } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify(raw));
  mkdirSync(join(sources, "node_modules"));
  for (const name of ["@pulumi", "@types"]) {
    symlinkSync(join(modules, name), join(sources, "node_modules", name), "junction");
  }
  const place = join(modules, "@erphost", "pulumi-native");
  rmSync(place, { recursive: true });
  symlinkSync(sources, place, "junction");
}

const preview = async (stack: PulumiStack): Promise<void> => {
  const { code, output } = await stack.preview();
  if (code !== 0) throw new Error(`A preview failed:\n${output}`);
};

export const sdkSection: Section = {
  name: "sdk",
  programs: ["pulumi", ["pulumi-sdk-gen", "3.253.0"]],
  about: "pulumi preview in a new project of Pulumi's template, with the packed Node.js SDK",
  async run({ rounds, say }) {
    const emulator = await startEmulator({ provisionMs: 0 });
    const packed = await open(emulator);
    const raw = await open(emulator);
    try {
      await linkSources(raw);
      say("preview");
      const { ours, reference } = await inTurns(rounds, {
        ours: () => preview(packed),
        reference: () => preview(raw),
      });
      const against = { name: "the sources that the generator writes", samples: reference };
      return [timed("preview of a new program", ours, against, RATIO_MAX)];
    } finally {
      for (const stack of [packed, raw]) stack.remove();
      await emulator.close();
    }
  },
};

/** How long Pulumi's commands take with the plugin, compared with one whose resources do nothing. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmulatorOptions } from "../../emulator";
import { writeEntries } from "../../scripts/release/archive";
import { bundle } from "../../scripts/release/bundle";
import { PULUMI_PROGRAM, pulumiFiles } from "../../scripts/release/launcher";
import type { PulumiStack } from "../harness/pulumi-stack";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import type { Figure } from "../support/figures";
import { compared, open, secondsOfUp, type Comparison } from "./pulumi";
import { counted, succeeded, type Section } from "./section";

/** It is bundled and wrapped like ours. */
async function installNothing(stack: PulumiStack): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "erphost-nothing-"));
  try {
    const plugin = join(folder, "plugin");
    const files = pulumiFiles(await bundle(require.resolve("./nothing")));
    const named = files.map(({ name, ...file }) => {
      return { ...file, name: name.replace(PULUMI_PROGRAM, "pulumi-resource-nothing") };
    });
    writeEntries(plugin, named);
    const words = ["plugin", "install", "resource", "nothing", "0.1.0", "--file", plugin];
    await succeeded(words.join(" "), stack.run(...words));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = (type: string, count: number): string => {
  const resources = Array.from({ length: count }, (_, index) => [
    `server-${index}`,
    { type, properties: { name: `server-${index}` } },
  ]);
  return `name: every-kind\nruntime: yaml\nresources: ${JSON.stringify(Object.fromEntries(resources))}\n`;
};

/** A stack whose program declares `count` servers of a plugin. */
async function openPlugin(plugin: "erphost" | "nothing", count: number, options?: EmulatorOptions) {
  const folder = join(__dirname, "../e2e/pulumi-plugin/programs");
  const opened = await open({ program: folder, env: {} }, options);
  await (plugin === "nothing" ? installNothing(opened.stack) : installPlugin(opened.stack));
  opened.stack.write("Pulumi.yaml", program(`${plugin}:Server`, count));
  return opened;
}

/** A few calls fewer than three windows hold, because lists are read to find equal names. */
const LIMITED_COUNT = 290;
/** The service reports the end of a window in whole seconds, so windows last many seconds. */
const WINDOW = { requests: 100, windowMs: 45_000 } as const;
/** What starting, the work of the last window and ending may add to the windows. */
const LIMITED_RATIO_MAX = 1.1;

/** An up in windows that take longer than the engine itself. It needs a call per server at least. */
async function limited(): Promise<Figure[]> {
  const count = LIMITED_COUNT;
  const own = await openPlugin("erphost", count, { limits: [WINDOW] });
  try {
    const sample = await secondsOfUp(own);
    // The first request of the next window may be sent when the one before is over.
    const least = (Math.floor((count - 1) / WINDOW.requests) * WINDOW.windowMs) / 1000;
    const time = { unit: "s", sample };
    const calls = { unit: "calls", sample: own.emulator.journal().length };
    const name = `up of ${count} servers, 100 requests in 45 s`;
    const allowed = { name: "the least that the windows allow", value: least };
    return [
      counted(`${name}, time`, time, allowed, LIMITED_RATIO_MAX),
      counted(`${name}, calls`, calls, { name: "a call per server", value: count }),
    ];
  } finally {
    await own.close();
  }
}

const ofPlugin = (count: number): Comparison => ({
  ...{ count, reference: "a plugin that does nothing, on grpc-js" },
  ...{ ratioMax: 1.3, ratioMaxOfUp: undefined, bytesMax: 1536 },
  isOne: (type) => type.endsWith(":Server"),
});

export const pluginSection: Section = {
  name: "plugin",
  programs: ["pulumi"],
  about: "the same commands with the plugin, its state, and an up within limits; --large: 1,000",
  async run(options) {
    const count = options.large ? 1_000 : 200;
    const sides = {
      erphost: await openPlugin("erphost", count),
      nothing: await openPlugin("nothing", count),
    };
    const figures = await compared(sides, ofPlugin(count), options);
    options.say("within limits");
    return [...figures, ...(await limited())];
  },
};

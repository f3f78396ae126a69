/** The engines, as they plan a program: each answers with the JSON that its command prints. */
import { join } from "node:path";
import type { Emulator } from "../../emulator";
import { installPlugin } from "../e2e/support/pulumi-plugin";
import { PulumiStack, type CommandResult } from "../harness/pulumi-stack";
import {
  buildMirror,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../harness/terraform-workspace";
import { dynamicProgram, pluginProgram, terraformProgram, type Program } from "./declared";

export interface Planner {
  /** Brings the service to a program, as its state is found to be. */
  apply(program: Program): Promise<unknown>;
  /** The plan's JSON, made with these words more. */
  plan(program: Program, ...words: readonly string[]): Promise<string>;
  /** The last plan, as the engine shows it to people. */
  text(): Promise<string>;
  /** What the engine says of a program that it cannot plan. */
  refusal(program: Program): Promise<string>;
  /** The JSON of a plan that only reads. */
  drift(): Promise<string>;
  remove(): void;
}

const envOf = ({ adminKey, baseUrl }: Emulator) => ({
  ERPHOST_API_KEY: adminKey,
  ERPHOST_BASE_URL: baseUrl,
  ERPHOST_PREFLIGHT: "off",
});

const done = ({ code, output, stdout }: CommandResult): string => {
  if (code !== 0) throw new Error(`ended with ${code}:\n${output}`);
  return stdout;
};

export async function terraformPlanner(engine: EngineName, emulator: Emulator): Promise<Planner> {
  buildMirror();
  const here = await TerraformWorkspace.create({ engine, env: envOf(emulator) }, HEADER);
  const holding = (program: Program): TerraformWorkspace => {
    here.write("main.tf", "");
    here.write("main.tf.json", terraformProgram(program));
    return here;
  };
  const saved = async (...words: readonly string[]): Promise<string> => {
    done(await here.run("plan", "-input=false", "-out=plan.bin", ...words));
    return done(await here.run("show", "-json", "plan.bin"));
  };
  return {
    apply: async (program) => done(await holding(program).apply()),
    plan: (program, ...words) => {
      holding(program);
      return saved(...words);
    },
    text: async () => done(await here.run("show", "plan.bin")),
    refusal: async (program) => {
      const { code, output } = await holding(program).run("plan", "-input=false");
      if (code === 0) throw new Error("it was planned");
      return output;
    },
    drift: () => saved("-refresh-only"),
    remove: () => here.remove(),
  };
}

const DYNAMIC = join(__dirname, "programs", "declared");
/** As `erphost pipeline plan` shows the preview to people. */
const EVENTS = "events.json";
const REPLAY = ["--preview", "--diff"];
const PLUGIN = join(__dirname, "..", "e2e", "pulumi-plugin", "programs");

export async function pulumiPlanner(
  form: "plugin" | "dynamic",
  emulator: Emulator,
): Promise<Planner> {
  const stack = await PulumiStack.create({
    program: form === "plugin" ? PLUGIN : DYNAMIC,
    env: { ...envOf(emulator), PULUMI_DEBUG_COMMANDS: "true" },
  });
  if (form === "plugin") await installPlugin(stack);
  const holding = (program: Program): PulumiStack => {
    if (form === "plugin") stack.write("Pulumi.yaml", pluginProgram(program));
    else stack.write("objects.json", dynamicProgram(program));
    return stack;
  };
  return {
    apply: async (program) => done(await holding(program).up("--refresh")),
    plan: async (program, ...words) =>
      done(await holding(program).run("preview", "--json", `--event-log=${EVENTS}`, ...words)),
    text: async () => done(await stack.run("replay-events", "update", EVENTS, ...REPLAY)),
    refusal: async (program) => (await holding(program).preview()).output,
    drift: async () => done(await stack.run("refresh", "--preview-only", "--json")),
    remove: () => stack.remove(),
  };
}

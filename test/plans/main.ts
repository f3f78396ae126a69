/** `npm run plans:record`: the plans of `test/plans/recorded/`, made by the real engines. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../emulator";
import { PulumiStack } from "../harness/pulumi-stack";
import {
  buildMirror,
  HEADER,
  TerraformWorkspace,
  titled,
  type EngineName,
} from "../harness/terraform-workspace";
import { pulumiPlanner, terraformPlanner, type Planner } from "./engines";
import {
  CANARY,
  commentCases,
  everything,
  policyBase,
  policyCases,
  SECRETS,
  type CommentCase,
} from "./scenario";

const FOLDER = join(__dirname, "recorded");
/** Long ago, so that a key of the recorded plans is old whenever they are read. */
const THEN_MS = Date.parse("2025-01-01T00:00:00Z");

const PLANNERS: Readonly<Record<string, (emulator: Emulator) => Promise<Planner>>> = {
  terraform: (emulator) => terraformPlanner("terraform", emulator),
  tofu: (emulator) => terraformPlanner("tofu", emulator),
  "pulumi-plugin": (emulator) => pulumiPlanner("plugin", emulator),
  "pulumi-dynamic": (emulator) => pulumiPlanner("dynamic", emulator),
};
/** The rules are the same wherever the engine is: one of each form of JSON is enough. */
const POLICY_PLANNERS: readonly string[] = ["terraform", "pulumi-plugin"];

/** What is not read, and would make the files long. */
const UNREAD = [
  ..."configuration planned_values prior_state relevant_attributes stackTrace".split(" "),
  ..."sourcePosition propertyDependencies __provider __state provider created".split(" "),
  ..."modified custom additionalSecretOutputs".split(" "),
];

function record(name: string, json: string, secrets: readonly string[], unread = UNREAD): void {
  const kept: unknown = JSON.parse(json, (key, value: unknown) =>
    unread.includes(key) ? undefined : value,
  );
  const withCanary = (left: string, secret: string): string => left.replaceAll(secret, CANARY);
  const text = secrets.reduce(withCanary, JSON.stringify(kept));
  writeFileSync(join(FOLDER, `${name}.json`), `${text}\n`);
  process.stdout.write(`${name}: ${text.length} characters\n`);
}

/** Comments say which fields of a new object its program sets. */
const READ_TOO = UNREAD.filter((name) => name !== "configuration");

const emulated = (): Promise<Emulator> =>
  startEmulator({
    provisionMs: 0,
    realTime: { wallMs: () => THEN_MS + performance.now(), monotonicMs: () => performance.now() },
  });

/** Secrets of the service are in no answer but one: they are found in the state, by their form. */
const keysIn = (json: string): string[] =>
  json.match(/\b[a-z]+_(?:test|live)_[A-Za-z0-9]{16,}/g) ?? [];

async function withPlanner(
  name: string,
  use: (planner: Planner, emulator: Emulator) => Promise<void>,
): Promise<void> {
  const emulator = await emulated();
  const planner = await PLANNERS[name]?.(emulator);
  if (planner === undefined) throw new Error(`there is no planner ${name}`);
  try {
    await use(planner, emulator);
  } finally {
    planner.remove();
    await emulator.close();
  }
}

const ofPulumi = (name: string, ...words: readonly string[]): readonly string[] =>
  name.startsWith("pulumi") ? words : [];

const recordEverything = (name: string): Promise<void> =>
  withPlanner(name, async (planner, emulator) => {
    const rotated = emulator.createKey({ name: "console", permissions: ["servers:read"] }).id;
    await planner.apply(everything.before(rotated));
    everything.meanwhile(emulator);
    const words = ofPulumi(name, "--refresh", "--show-sames");
    const drift = await planner.drift();
    const plan = await planner.plan(everything.after(rotated), ...words);
    for (const [what, json] of Object.entries({ drift, plan })) {
      record(`${name}-${what}`, json, [...Object.values(SECRETS), ...keysIn(json)]);
    }
  });

const recordPolicies = (name: string): Promise<void> =>
  withPlanner(name, async (planner) => {
    await planner.apply(policyBase);
    for (const [rule, programs] of Object.entries(policyCases)) {
      for (const [state, program] of Object.entries(programs)) {
        const json = await planner.plan(program, ...ofPulumi(name, "--show-sames"));
        record(`policies/${rule}-${state}-${name}`, json, keysIn(json));
      }
    }
  });

const recordComment = (name: string, of: CommentCase): Promise<void> =>
  withPlanner(of.planner, async (planner) => {
    const tool = of.planner.replace("-plugin", "");
    const engine = tool === "pulumi" ? "Pulumi 3.253.0" : titled(tool as EngineName); // One of both.
    if (of.before) await planner.apply(of.before);
    const words = ofPulumi(of.planner, "--refresh", "--show-sames");
    const json = of.isRefused ? undefined : await planner.plan(of.after, ...words);
    const text = await (json === undefined ? planner.refusal(of.after) : planner.text());
    const kept = { tool, engine, json: json && (JSON.parse(json) as unknown), text };
    record(`comments/${name}`, JSON.stringify(kept), Object.values(SECRETS), READ_TOO);
  });

/** A program of Terraform's own objects, one of which may be refused by its precondition. */
const REFUSED = `
resource "terraform_data" "a" {
  input = "one"
}

resource "terraform_data" "b" {
  input = "two"
  lifecycle {
    precondition {
      condition     = terraform_data.a.input == "two"
      error_message = "refused"
    }
  }
}
`;
const INVOKING = `${HEADER}
resource "erphost_server" "web" {
  name = "NAME"
  lifecycle {
    action_trigger {
      events  = [before_update]
      actions = [action.erphost_backup.before]
    }
  }
}

action "erphost_backup" "before" {
  config {
    server = "web"
  }
}
`;

/** Plans that nobody may take for whole ones, and one with an action, of Terraform 1.15 and Pulumi. */
async function recordGate(): Promise<void> {
  const emulator = await emulated();
  buildMirror();
  const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  const here = await TerraformWorkspace.create({ engine: "terraform", env }, HEADER);
  const stack = await PulumiStack.create({ program: join(__dirname, "programs", "gate"), env });
  try {
    const planned = async (program: string, name: string, ...words: string[]): Promise<void> => {
      here.write("main.tf", program);
      await here.run("plan", "-input=false", "-out=plan.bin", ...words);
      record(`gate/${name}`, (await here.run("show", "-json", "plan.bin")).stdout, []);
    };
    await planned(REFUSED, "terraform-errored");
    await planned(REFUSED, "terraform-in-part", "-target=terraform_data.a");
    here.write("main.tf", INVOKING.replace("NAME", "web"));
    await here.apply();
    await planned(INVOKING.replace("NAME", "web-2"), "terraform-actions");
    record("gate/pulumi-errored", (await stack.preview("--json")).stdout, []);
  } finally {
    here.remove();
    stack.remove();
    await emulator.close();
  }
}

async function main(names: readonly string[]): Promise<void> {
  for (const folder of ["policies", "comments", "gate"]) {
    mkdirSync(join(FOLDER, folder), { recursive: true });
  }
  for (const name of names) {
    if (name === GATE) await recordGate();
    else if (name === COMMENTS) {
      for (const [what, of] of Object.entries(commentCases)) await recordComment(what, of);
    } else {
      await recordEverything(name);
      if (POLICY_PLANNERS.includes(name)) await recordPolicies(name);
    }
  }
}

/** In the place of an engine: the plans that comments are made of. */
const COMMENTS = "comments";
const GATE = "gate";
const given = process.argv.slice(2);
void main(given.length > 0 ? given : [...Object.keys(PLANNERS), COMMENTS, GATE]);

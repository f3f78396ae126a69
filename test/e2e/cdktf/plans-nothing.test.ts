/** `toPlanNothingAfter` against what the engines themselves plan. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TerraformLocal, TerraformOutput, TerraformStack, TerraformVariable, Testing } from "cdktf";
import { ErphostProvider, Instance, moveConstruct, Server, Team } from "../../../cdktf-bindings";
import { expectStack, synth } from "../../../cdktf-bindings/testing";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";

/** What is edited. */
const PROGRAM = {
  id: "web",
  isMoved: false,
  host: "host-a",
  team: "team-a",
  trial: "trial-a",
  local: "local-a",
  description: "",
  isSensitive: false,
  isOutputSensitive: false,
  isNameIgnored: true,
  isCareful: false,
  ignored: "ignored-a",
  written: "a",
  writtenVersion: "1",
  concurrency: 5,
  baseUrl: "",
};
type Program = typeof PROGRAM;

function stackOf(edit: Partial<Program>): TerraformStack {
  const it = { ...PROGRAM, ...edit };
  const stack = new TerraformStack(Testing.app(), "erp");
  const { concurrency, baseUrl } = it;
  new ErphostProvider(stack, "provider", { concurrency, ...(baseUrl !== "" && { baseUrl }) });
  const web = new Server(stack, it.id, { name: "web" });
  if (it.isMoved) moveConstruct(new Server(stack, "web", { name: "web" }), web);
  // As overrides, so that each library takes them whatever engines it targets.
  web.resource.addOverride("secret_properties_wo", { token: it.written });
  web.resource.addOverride("secret_properties_wo_version", it.writtenVersion);
  if (it.isCareful) web.resource.lifecycle = { preventDestroy: true, createBeforeDestroy: true };
  const team = new TerraformVariable(stack, "team", {
    type: "string",
    default: it.team,
    ...(it.description !== "" && { description: it.description }),
    sensitive: it.isSensitive,
  });
  new Team(stack, "team-of-variable", { name: team.stringValue });
  const local = new TerraformLocal(stack, "local", it.local);
  new Team(stack, "team-of-local", { name: local.asString });
  const lifecycle = it.isNameIgnored ? { ignoreChanges: ["name"] } : {};
  new Team(stack, "ignoring", { name: it.ignored, lifecycle });
  const server = Server.fromServerName(stack, "host", it.host);
  new Instance(stack, "trial", { name: it.trial, server });
  new TerraformOutput(stack, "id", { value: web.serverId, sensitive: it.isOutputSensitive });
  return stack;
}

type Edits = readonly (readonly [claim: string, edit: Partial<Program>])[];

/** Edits that change nothing, alone or together. */
const NOTHING: Edits = [
  ["no edit", {}],
  ["a move", { id: "renamed", isMoved: true }],
  ["conditions of deletion", { isCareful: true }],
  ["a variable's description", { description: "What people see." }],
  ["how fast the service is called", { concurrency: 3 }],
  ["a write-only value of the same version", { written: "b" }],
  ["an ignored name", { ignored: "ignored-b" }],
];

/**
 * Edits that change something, with what a plan shows of each. Those of one list are about different
 * objects, so that one plan shows all of them.
 */
const SOMETHING: readonly (readonly (readonly [...Edits[number], planned: string])[])[] = [
  [
    ["another name", { trial: "trial-b" }, "erphost_instance.trial"],
    ["a rename without a move", { id: "renamed" }, "erphost_server.renamed"],
    ["another default of a variable", { team: "team-b" }, "erphost_team.team-of-variable"],
    ["another local", { local: "local-b" }, "erphost_team.team-of-local"],
    ["a name that is no longer ignored", { isNameIgnored: false }, "erphost_team.ignoring"],
  ],
  [
    ["a lookup of another object", { host: "host-b" }, "erphost_instance.trial"],
    ["another version of a write-only value", { writtenVersion: "2" }, "erphost_server.web"],
    ["an output that becomes sensitive", { isOutputSensitive: true }, "output id"],
    ["a variable that becomes sensitive", { isSensitive: true }, "erphost_team.team-of-variable"],
  ],
  [["another account", { baseUrl: "elsewhere" }, "refused"]],
];

const together = (edits: Edits): Partial<Program> =>
  Object.assign({}, ...edits.map(([, edit]) => edit)) as Partial<Program>;

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const isThere = hasEngine(engine);
  let emulator: Emulator;
  let workspace: TerraformWorkspace;

  beforeAll(async () => {
    if (!isThere) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 0 });
    const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
    workspace = await TerraformWorkspace.create({ engine, env }, "");
    const headers = { authorization: `Bearer ${emulator.adminKey}` };
    const call = async (method: string, path: string, name: string): Promise<void> => {
      const { ok, status } = await fetch(`${emulator.baseUrl}${path}`, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      if (!ok) throw new Error(`${method} ${path}: ${status}`);
    };
    for (const name of ["host-a", "host-b"]) await call("POST", "/servers", name);
    workspace.write("cdk.tf.json", synth(stackOf({})));
    for (const command of [["init"], ["apply", "-auto-approve", "-input=false"]]) {
      const { code, output } = await workspace.run(...command);
      if (code !== 0) throw new Error(output);
    }
    // Somebody renames what the program ignores the name of.
    const team = emulator.objects("team").find((each) => each["name"] === "ignored-a");
    await call("PATCH", `/teams/${String(team?.["id"])}`, "renamed-elsewhere");
  });
  afterAll(async () => {
    if (!isThere) return;
    workspace.remove();
    await emulator.close();
  });

  /** What a plan would change, outputs included; `refused` where it fails. */
  async function planned(): Promise<readonly string[]> {
    const { code } = await workspace.run("plan", "-input=false", "-out=plan.bin");
    if (code !== 0) return ["refused"];
    const { stdout } = await workspace.run("show", "-json", "plan.bin");
    interface Change {
      readonly actions: readonly string[];
    }
    // As the engines document it.
    const plan = JSON.parse(stdout) as {
      readonly resource_changes?: readonly { readonly address: string; readonly change: Change }[];
      readonly output_changes?: Readonly<Record<string, Change>>;
    };
    const isChange = ({ actions: [action] }: Change): boolean =>
      action !== "no-op" && action !== "read";
    return [
      ...(plan.resource_changes ?? [])
        .filter(({ change }) => isChange(change))
        .map(({ address }) => address),
      ...Object.entries(plan.output_changes ?? {})
        .filter(([, change]) => isChange(change))
        .map(([name]) => `output ${name}`),
    ];
  }

  (isThere ? test : test.skip)(
    "the matcher says that an edit changes nothing exactly where a plan of the engine shows nothing",
    async () => {
      const before = synth(stackOf({}));
      const edited = (edit: Partial<Program>): TerraformStack => {
        const elsewhere = { baseUrl: emulator.baseUrl.replace("/v1", "/else/v1") };
        return stackOf({ ...edit, ...(edit.baseUrl !== undefined && elsewhere) });
      };
      const plannedAfter = (edits: Edits): Promise<readonly string[]> => {
        workspace.write("cdk.tf.json", synth(edited(together(edits))));
        return planned();
      };
      for (const [, edit] of NOTHING) expectStack(edited(edit)).toPlanNothingAfter(before);
      expect(await plannedAfter(NOTHING)).toEqual([]);
      for (const list of SOMETHING) {
        for (const [, edit] of list) expectStack(edited(edit)).not.toPlanNothingAfter(before);
        const found = await plannedAfter(list.map(([claim, edit]) => [claim, edit]));
        for (const [claim, , expected] of list) {
          expect([claim, found]).toEqual([claim, expect.arrayContaining([expected])]);
        }
      }
    },
  );
});

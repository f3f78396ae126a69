/** What the language has besides resources, on the real engines, in one workspace each. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { unwrapped } from "../support/output";
import { hasRestapi, restapiHeader, restapiMirror } from "../support/restapi";

const SECRET = "s3cr3t-in-a-plan";

const imported = (kind: string, id: string): string => `
import {
  to = erphost_${kind}.taken
  id = "${id}"
}
`;

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  let workspace: TerraformWorkspace;
  const env = () => ({ ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl });

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 5 });
    workspace = await TerraformWorkspace.create({ engine, env: env() }, HEADER);
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    workspace.remove();
    await emulator.close();
  });

  testWithEngine(
    "an import generates a configuration that can be used unchanged, without secrets",
    async () => {
      const create = (kind: string, record: Readonly<Record<string, unknown>>): string =>
        String(emulator.createObjects(kind, [record])[0]?.["id"]);
      const free = { region: "eu", sizes: [1, 2.5], admin: { password: SECRET } };
      const server = create("server", { name: "taken", status: "running", ...free });
      const instance = create("instance", { name: "taken", server_id: server, version: "17.0" });
      const backup = create("backup", { instance_id: instance, status: "completed" });
      create("team", { name: "taken", members: [{ email: "ada@example.com", role: "admin" }] });
      const key = emulator.createKey({ name: "taken", permissions: ["servers:read"] });
      workspace.write(
        "imports.tf",
        [
          imported("server", "name=taken"),
          imported("instance", instance),
          imported("backup", backup),
          imported("team", "name=taken"),
          imported("api_key", key.id),
        ].join(""),
      );
      const written = await workspace.run(
        "plan",
        "-generate-config-out=generated.tf",
        "-out=plan.bin",
      );
      expect(written).toMatchObject({ code: 0 });
      const generated = readFileSync(join(workspace.folder, "generated.tf"), "utf8");
      expect(generated).toMatch(/region *= "eu"/);
      expect(generated).not.toContain(SECRET);
      const applied = await workspace.applyPlanned();
      expect(applied).toMatchObject({ code: 0 });
      expect(applied.output).toContain("5 imported, 0 added, 0 changed, 0 destroyed");
      expect(await workspace.plan()).toMatchObject({ code: 0 });
    },
  );

  testWithEngine(
    "an ephemeral value can be used by a resource, and a wait that times out taints nothing",
    async () => {
      const match = { method: "POST", path: "/servers" };
      emulator.setFaults([{ match, effect: { type: "provision", outcome: "ready", ms: 30_000 } }]);
      workspace.write(
        "slow.tf",
        `ephemeral "erphost_auth" "me" {}

resource "erphost_server" "slow" {
  name                         = "slow"
  secret_properties            = { password = "${SECRET}" }
  secret_properties_wo_version = "1"
  timeouts {
    create = "300ms"
  }
}

resource "erphost_team" "informed" {
  name                         = "informed"
  secret_properties_wo         = { by = ephemeral.erphost_auth.me.key_id }
  secret_properties_wo_version = "1"
}
`,
      );
      const planned = await workspace.run("plan", "-out=saved.bin");
      expect(planned).toMatchObject({ code: 0 });
      expect(planned.output).not.toContain(SECRET);
      // As the documentation says of saved plans.
      expect((await workspace.run("show", "-json", "saved.bin")).stdout).toContain(SECRET);
      const applied = await workspace.run("apply", "saved.bin");
      expect(applied).toMatchObject({ code: 0 });
      expect(unwrapped(applied.output)).toMatch(
        /Warning: Object is not ready yet .*Server srv_\d+ \(slow\) is still provisioning/,
      );
      const informed = emulator.objects("team").find(({ name }) => name === "informed");
      expect(informed?.["by"]).toMatch(/^key_/);
      emulator.advance("1m");
      expect(await workspace.plan()).toMatchObject({ code: 0 });
    },
  );

  testWithEngine(
    "moving a resource's address changes nothing, and moving from another type is refused with a remedy",
    async () => {
      const [server] = emulator.createObjects("server", [{ name: "moved", status: "running" }]);
      const here = await TerraformWorkspace.create(
        { engine, env: env() },
        `${HEADER}
import {
  to = erphost_server.old
  id = "${String(server?.["id"])}"
}
resource "erphost_server" "old" {
  name = "moved"
}
`,
      );
      try {
        here.write("foreign.tf", 'resource "terraform_data" "foreign" {}\n');
        expect(await here.apply()).toMatchObject({ code: 0 });
        const config = `${HEADER}
moved {
  from = erphost_server.old
  to   = erphost_server.new
}
resource "erphost_server" "new" {
  name = "moved"
}
`;
        here.write("main.tf", config);
        const moved = await here.apply();
        expect(moved.output).toContain("erphost_server.old has moved to erphost_server.new");
        expect((await here.state())["erphost_server.new"]).toMatchObject({ id: server?.["id"] });
        here.write(
          "foreign.tf",
          `moved {
  from = terraform_data.foreign
  to   = erphost_server.foreign
}
resource "erphost_server" "foreign" {
  name = "foreign"
}
`,
        );
        const refused = await here.plan();
        expect(refused.code).toBe(1);
        expect(unwrapped(refused.output)).toMatch(
          /An object of type terraform_data cannot become a server: .* Import the object instead/,
        );
      } finally {
        here.remove();
      }
    },
  );

  (hasEngine(engine) && hasRestapi() ? test : test.skip)(
    "an object of a generic REST provider can be moved to this provider",
    async () => {
      const mirror = restapiMirror(engine);
      const { baseUrl, adminKey } = emulator;
      const here = await TerraformWorkspace.create(
        { engine, env: env(), mirrors: [mirror] },
        `${restapiHeader(baseUrl, adminKey)}
resource "restapi_object" "web" {
  path = "/servers"
  data = jsonencode({ name = "web" })
}
`,
      );
      try {
        expect(await here.apply()).toMatchObject({ code: 0 });
        const before = emulator.objects("server").find(({ name }) => name === "web");
        here.write(
          "main.tf",
          `${HEADER}
moved {
  from = restapi_object.web
  to   = erphost_server.web
}
resource "erphost_server" "web" {
  name = "web"
}
`,
        );
        expect(await here.run("init")).toMatchObject({ code: 0 });
        const applied = await here.apply();
        expect(applied.output).toContain("0 added, 0 changed, 0 destroyed");
        expect((await here.state())["erphost_server.web"]).toMatchObject({ id: before?.["id"] });
        expect(await here.plan()).toMatchObject({ code: 0 });
      } finally {
        here.remove();
        rmSync(mirror, { recursive: true });
      }
    },
  );

  testWithEngine(
    "a state with an unknown attribute is read, and one of a later schema is refused",
    async () => {
      const rewrite = (change: (instance: Record<string, unknown>) => void): void => {
        // The engine wrote it just now.
        const state = JSON.parse(workspace.stateText()) as {
          resources: { type: string; instances: Record<string, unknown>[] }[];
        };
        for (const { type, instances } of state.resources) {
          if (type === "erphost_team") instances.forEach(change);
        }
        workspace.write("terraform.tfstate", JSON.stringify(state));
      };
      rewrite((instance) => {
        instance["attributes"] = { ...(instance["attributes"] as object), colour: "red" };
      });
      expect(await workspace.plan()).toMatchObject({ code: 0 });
      rewrite((instance) => {
        instance["schema_version"] = 99;
      });
      const refused = await workspace.plan();
      expect(refused.code).toBe(1);
      expect(refused.output).not.toContain("will be");
    },
  );
});

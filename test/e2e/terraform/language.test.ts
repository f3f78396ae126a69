/** What the language has besides resources, on the real engines, and in which of their versions. */
import { rmSync } from "node:fs";
import { beforeAll, expect, test } from "@jest/globals";
import { furnish } from "../../support/finding";
import { HEADER, ONE_ENGINE, TerraformWorkspace } from "../../harness/terraform-workspace";
import { BOTH, describeOn, describeOnOldest, type Ground } from "../support/engines";
import { FEATURES } from "../support/features";
import { snippet } from "../support/guide";
import { opened } from "../support/opened";
import { expectDone, refusal, unwrapped } from "../support/output";
import { hasRestapi, restapiHeader, restapiMirror } from "../support/restapi";

const SECRET = "s3cr3t-in-a-plan";

const EPHEMERAL = `ephemeral "erphost_auth" "me" {}

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
`;

const moved = (from: string, name: string): string => `moved {
  from = ${from}
  to   = erphost_server.${name}
}
resource "erphost_server" "${name}" {
  name = "${name}"
}
`;

/** A server that somebody deletes between the two providers. */
const GONE = `resource "restapi_object" "gone" {
  path = "/servers"
  data = jsonencode({ name = "gone" })
}
`;

/** A backup that is looked up by an instance of the same program. */
const OWN = `
resource "erphost_server" "web" {
  name = "own"
}
resource "erphost_instance" "own" {
  name      = "own"
  server_id = erphost_server.web.id
}
resource "erphost_backup" "own" {
  instance_id = erphost_instance.own.id
}
data "erphost_backup" "own" {
  instance_id   = erphost_instance.own.id
  created_after = erphost_instance.own.created_at
  most_recent   = true
  depends_on    = [erphost_backup.own]
}
output "own" {
  value = data.erphost_backup.own.id == erphost_backup.own.id
}
`;

describeOn(BOTH, (ground) => {
  let here: TerraformWorkspace;
  beforeAll(async () => void (here = await ground.attach(HEADER)));

  test("an ephemeral value can be used by a resource, and a wait that times out taints nothing", async () => {
    const { emulator } = ground;
    const match = { method: "POST", path: "/servers" };
    const effect = { type: "provision", outcome: "ready", ms: 30_000 } as const;
    emulator.setFaults([{ match, times: 1, effect }]);
    here.write("slow.tf", EPHEMERAL);
    const planned = expectDone(await here.run("plan", "-out=plan.bin"));
    expect(planned.output).not.toContain(SECRET);
    // As the documentation says of saved plans.
    expect((await here.run("show", "-json", "plan.bin")).stdout).toContain(SECRET);
    const applied = expectDone(await here.applyPlanned());
    expect(unwrapped(applied.output)).toMatch(
      /Warning: Object is not ready yet .*Server srv_\d+ \(slow\) is still provisioning/,
    );
    const informed = emulator.objects("team").find(({ name }) => name === "informed");
    expect(informed?.["by"]).toMatch(/^key_/);
    emulator.advance("1m");
    expectDone(await here.plan());
  });

  // What the provider answers is the same, whatever the engine.
  if (ground.engine !== ONE_ENGINE) return;

  (hasRestapi() ? test : test.skip)(
    "the guide moves objects in from restapi without a change, and one that is not listed is never made again",
    async () => {
      const { engine, env, emulator } = ground;
      const mirrors = [restapiMirror(engine)];
      opened({ remove: () => rmSync(mirrors.join(), { recursive: true }) });
      const head = restapiHeader(emulator.baseUrl, emulator.adminKey);
      const program = head + snippet("restapi", "terraform", "restapi_object");
      const there = opened(await TerraformWorkspace.create({ engine, env, mirrors }, program));
      there.write("gone.tf", GONE);
      expectDone(await there.apply());
      const ids = () => [...ground.ids("server"), ...ground.ids("instance")];
      const before = ids();
      const { id } = (await there.state())["restapi_object.gone"] ?? {};
      emulator.removeObject("server", String(id));
      const left = ids();
      there.write("main.tf", HEADER + snippet("restapi", "terraform", "moved {"));
      there.write("gone.tf", moved("restapi_object.gone", "gone"));
      expectDone(await there.run("init"));
      expect(refusal(await there.apply())).toContain("does not list it");
      expect(ids()).toEqual(left);
      expectDone(await there.run("state", "rm", "restapi_object.gone"));
      there.write("gone.tf", "");
      expect(expectDone(await there.apply()).output).toContain("0 added, 0 changed, 0 destroyed");
      expect(before.length - ids().length).toBe(1);
      expectDone(await there.plan());
    },
  );

  test("data sources find what the guide says, and read what the run creates during the apply", async () => {
    const { emulator } = ground;
    emulator.reset();
    furnish(emulator);
    const there = await ground.attach(HEADER + snippet("finding", "terraform"));
    const outputs = async (): Promise<readonly unknown[]> => {
      const { stdout } = await there.run("output", "-json");
      // As the engines document it.
      const all = JSON.parse(stdout) as Record<string, { value: unknown }>;
      return Object.entries(all).map(([name, { value }]) => [name, value]);
    };
    expectDone(await there.apply());
    expect(await outputs()).toEqual([
      ["recent", ["bak_5", "bak_4", "bak_3", "bak_2"]],
      ["restore_from", "bak_2"],
    ]);
    there.write("main.tf", `${HEADER}${OWN}`);
    expectDone(await there.apply());
    expect(await outputs()).toContainEqual(["own", true]);
    expectDone(await there.plan());
  });
});

/** Each version that is here has what the guide says, and refuses the rest. */
const versions = (ground: Ground): void => {
  test.each(FEATURES)("has, or has not yet: $name", async ({ since, command, files }) => {
    const here = await ground.attach(HEADER);
    for (const [name, text] of Object.entries(files)) {
      here.write(name, name === "main.tf" ? HEADER + text : text);
    }
    const first = since[ground.engine];
    const { code, output } = await here.run(...command);
    const isThere = first !== undefined && ground.is(first);
    expect({ code, output }).toMatchObject({ code: isThere ? 0 : 1 });
    if (!isThere)
      expect(output).toMatch(/Unsupported (?:block type|argument)|flag provided|-query/);
  });
};

describeOn(BOTH, versions);
describeOnOldest(versions);

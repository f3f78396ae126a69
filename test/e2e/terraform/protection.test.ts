/**
 * Deletion protection on the real engines: what the engines replace on their own account is refused in
 * the plan, and what only its delete can refuse is settled by the remedy that the message names.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { unwrapped } from "../support/output";

interface Shape {
  readonly trigger?: string;
  readonly isProtected?: boolean;
  readonly createFirst?: boolean;
  readonly allow?: string;
}

const configuration = ({
  trigger = "1",
  isProtected = true,
  createFirst = false,
  allow,
}: Shape): string => `${HEADER.replace(
  'provider "erphost" {}',
  `provider "erphost" {\n${allow === undefined ? "" : `  allow_delete = ["${allow}"]\n`}}`,
)}
resource "terraform_data" "release" {
  input = "${trigger}"
}
resource "erphost_server" "main" {
  name                = "main"
  deletion_protection = ${isProtected}
  lifecycle {
    create_before_destroy = ${createFirst}
    replace_triggered_by  = [terraform_data.release]
  }
}
`;

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  const testOnOneEngine = engine === ONE_ENGINE ? testWithEngine : undefined;
  let emulator: Emulator;
  let here: TerraformWorkspace;
  const write = (shape: Shape): void => here.write("main.tf", configuration(shape));
  const servers = (): string[] => emulator.objects("server").map(({ id }) => String(id));
  const idIn = (output: string): string => /\["(srv_\d+)"\]/.exec(unwrapped(output))?.[1] ?? "";
  /** Applies with the setting that a message asks for, and without it there is nothing left to do. */
  const expectSettled = async (shape: Shape, allow: string): Promise<void> => {
    write({ ...shape, allow });
    expect(await here.apply()).toMatchObject({ code: 0 });
    write(shape);
    expect(await here.plan()).toMatchObject({ code: 0 });
    expect(servers()).toHaveLength(1);
    expect(servers()).not.toContain(allow);
  };

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 5 });
    here = await TerraformWorkspace.create(
      {
        engine,
        env: { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl },
      },
      configuration({}),
    );
    expect(await here.apply()).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    here.remove();
    await emulator.close();
  });

  testWithEngine(
    "a plan that replaces a protected object by -replace or replace_triggered_by fails, and leaves nothing behind",
    async () => {
      const forced = await here.plan("-replace=erphost_server.main");
      expect(forced.code).toBe(1);
      expect(unwrapped(forced.output)).toContain("deletion_protection prevents replacing server");
      const createFirst = true;
      write({ createFirst, trigger: "2" });
      const triggered = await here.apply();
      expect(triggered.code).toBe(1);
      expect(unwrapped(triggered.output)).toContain("Set it to false, apply, and try again.");
      write({ createFirst, trigger: "2", isProtected: false });
      const turnedOff = await here.apply();
      expect(turnedOff.code).toBe(1);
      expect(unwrapped(turnedOff.output)).toContain("turns it off first, on its own");
      expect(servers()).toEqual(["srv_1"]);
      // The remedy, as the two messages say it.
      write({ createFirst, isProtected: false });
      expect(await here.apply()).toMatchObject({ code: 0 });
      write({ createFirst, isProtected: false, trigger: "2" });
      expect(await here.apply()).toMatchObject({ code: 0 });
      expect(servers()).toEqual(["srv_2"]);
      // And it can be protected again.
      write({ createFirst, trigger: "2" });
      const protectedAgain = await here.apply();
      expect(protectedAgain.output).toContain("0 added, 1 changed, 0 destroyed");
    },
  );

  testOnOneEngine?.(
    "a protected object that is tainted is kept by untaint, and replaced where allow_delete names it",
    async () => {
      const shape = { trigger: "2" };
      const [id = ""] = servers();
      expect(await here.run("taint", "erphost_server.main")).toMatchObject({ code: 0 });
      write({ ...shape, isProtected: false });
      const refused = await here.apply();
      expect(refused.code).toBe(1);
      expect(unwrapped(refused.output)).toContain("run `untaint` on its address");
      expect(idIn(refused.output)).toBe(id);
      write(shape);
      expect(await here.run("untaint", "erphost_server.main")).toMatchObject({ code: 0 });
      expect(await here.plan()).toMatchObject({ code: 0 });
      expect(servers()).toEqual([id]);
      expect(await here.run("taint", "erphost_server.main")).toMatchObject({ code: 0 });
      await expectSettled(shape, id);
    },
  );

  testWithEngine(
    "a protected object that is deposed leaves the state once allow_delete names it",
    async () => {
      const shape = { trigger: "2", createFirst: true };
      write(shape);
      expect(await here.run("taint", "erphost_server.main")).toMatchObject({ code: 0 });
      expect(await here.apply()).toMatchObject({ code: 1 });
      expect(servers()).toHaveLength(2);
      const wedged = await here.plan();
      expect(wedged.code).toBe(1);
      expect(unwrapped(wedged.output)).toContain("deposed");
      await expectSettled(shape, idIn(wedged.output));
    },
  );

  testOnOneEngine?.("a destroy names the setting that lets a tainted object go", async () => {
    expect(await here.run("taint", "erphost_server.main")).toMatchObject({ code: 0 });
    const refused = await here.destroy();
    expect(refused.code).toBe(1);
    const allowed = here.start(["destroy", "-auto-approve"], {
      ERPHOST_ALLOW_DELETE: idIn(refused.output),
    });
    expect(await allowed.finished).toMatchObject({ code: 0 });
    expect(servers()).toEqual([]);
  });
});

/** Deletion protection on the real engines: what plans refuse, and what settles the rest. */
import { beforeAll, expect, test } from "@jest/globals";
import { HEADER, ONE_ENGINE, type TerraformWorkspace } from "../../harness/terraform-workspace";
import { ALONE, BOTH, describeOn, withSettings } from "../support/engines";
import { expectDone, refusal } from "../support/output";

interface Shape {
  readonly trigger?: string;
  readonly isProtected?: boolean;
  readonly createFirst?: boolean;
}

const configuration = ({ trigger = "1", isProtected = true, createFirst = false }: Shape) =>
  `${HEADER}
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
const ADDRESS = "erphost_server.main";

describeOn(BOTH, (ground) => {
  const testOnOneEngine = ground.engine === ONE_ENGINE ? test : undefined;
  let here: TerraformWorkspace;
  const write = (shape: Shape): void => here.write("main.tf", configuration(shape));
  const idIn = (said: string): string => /\["(srv_\d+)"\]/.exec(said)?.[1] ?? "";
  /** Applies with the setting that a message asks for, and without it there is nothing left to do. */
  const expectSettled = async (shape: Shape, id: string): Promise<void> => {
    here.write("main.tf", withSettings(configuration(shape), { allow_delete: [id] }));
    expectDone(await here.apply());
    write(shape);
    expectDone(await here.plan());
    expect(ground.ids()).toHaveLength(1);
    expect(ground.ids()).not.toContain(id);
  };

  beforeAll(async () => {
    here = await ground.attach(configuration({}));
    expectDone(await here.apply());
  });

  test("a plan that replaces a protected object by -replace or replace_triggered_by fails, and leaves nothing behind", async () => {
    const forced = refusal(await here.plan(`-replace=${ADDRESS}`));
    expect(forced).toContain("deletion_protection prevents replacing server");
    const createFirst = true;
    write({ createFirst, trigger: "2" });
    expect(refusal(await here.apply())).toContain("Set it to false, apply, and try again.");
    write({ createFirst, trigger: "2", isProtected: false });
    expect(refusal(await here.apply())).toContain("turns it off first, on its own");
    expect(ground.ids()).toEqual(["srv_1"]);
    // The remedy, as the two messages say it.
    write({ createFirst, isProtected: false });
    expectDone(await here.apply());
    write({ createFirst, isProtected: false, trigger: "2" });
    expectDone(await here.apply());
    expect(ground.ids()).toEqual(["srv_2"]);
    // And it can be protected again.
    write({ createFirst, trigger: "2" });
    expect((await here.apply()).output).toContain("0 added, 1 changed, 0 destroyed");
  });

  testOnOneEngine?.(
    "a protected object that is tainted is kept by untaint, and replaced where allow_delete names it",
    async () => {
      const shape = { trigger: "2" };
      const [id = ""] = ground.ids();
      expectDone(await here.run("taint", ADDRESS));
      write({ ...shape, isProtected: false });
      const refused = refusal(await here.apply());
      expect(refused).toContain("run `untaint` on its address");
      expect(idIn(refused)).toBe(id);
      write(shape);
      expectDone(await here.run("untaint", ADDRESS));
      expectDone(await here.plan());
      expect(ground.ids()).toEqual([id]);
      expectDone(await here.run("taint", ADDRESS));
      await expectSettled(shape, id);
    },
  );

  test("a protected object that is deposed leaves the state once allow_delete names it", async () => {
    const shape = { trigger: "2", createFirst: true };
    write(shape);
    expectDone(await here.run("taint", ADDRESS));
    refusal(await here.apply());
    expect(ground.ids()).toHaveLength(2);
    const wedged = refusal(await here.plan());
    expect(wedged).toContain("deposed");
    await expectSettled(shape, idIn(wedged));
  });

  testOnOneEngine?.("a destroy names the setting that lets a tainted object go", async () => {
    expectDone(await here.run("taint", ADDRESS));
    const ERPHOST_ALLOW_DELETE = idIn(refusal(await here.destroy()));
    const env = { ...ALONE, ERPHOST_ALLOW_DELETE };
    expectDone(await here.start(["destroy", "-auto-approve"], env).finished);
    expect(ground.ids()).toEqual([]);
  });
});

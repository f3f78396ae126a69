/** What a run makes of one that was killed with its machine, and of planted intents. */
import { readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { erphost } from "../../../cli/support";
import { HEADER } from "../../../harness/terraform-workspace";
import { describeOn, ONE } from "../../support/engines";
import { expectDone, refusal, unwrapped } from "../../support/output";
import { killedAfter } from "../../support/remote/killed";

const SIX = `${HEADER}
resource "erphost_server" "each" {
  count             = 6
  name              = "server-\${count.index}"
  idempotency_token = "server-\${count.index} of \${terraform.workspace}"
  lifecycle {
    create_before_destroy = true
  }
}
`;

const ID = "3f2a0000-0000-4000-8000-000000000001";
const server = (name: string): string => `
resource "erphost_server" "${name}" {
  name              = "${name}"
  idempotency_token = "${name}"
}
`;

describeOn(ONE, (ground) => {
  test("after a kill with 3 of 6 servers, fresh machines double nothing: one is given their ids, one resumes, one replaces", async () => {
    /** A machine without a past; the state is what a backend has kept. */
    const machine = async (state: string, more: Record<string, string> = {}) => {
      const made = await ground.open(SIX, { ERPHOST_SCOPE: "acme/prod", ...more });
      if (state !== "") writeFileSync(made.stateFile, state);
      return made;
    };
    const expectSix = () => {
      expect(ground.ids()).toHaveLength(6);
      expect(new Set(ground.names()).size).toBe(6);
    };
    const first = await machine("");
    const made = await killedAfter(ground.emulator, 3, () =>
      first.start(["apply", "-auto-approve", "-input=false"]),
    );
    first.remove();

    const second = await machine("");
    const asked = refusal(await second.apply());
    const [warned = "", failed = ""] = asked.split(/ Error: ([^]*)/);
    expect(warned).toContain("set resume (ERPHOST_RESUME) to true for one run");
    for (const id of made) {
      expect(warned).toContain(`Possibly created by an earlier run: ${id}`);
      expect(failed).toContain(id);
    }
    expect(failed).toMatch(/set resume .*unset scope .*for this run/);
    expectSix();
    expect(Object.keys(await second.state())).toHaveLength(3);

    const third = await machine(second.stateText(), { ERPHOST_RESUME: "true" });
    expectDone(await third.apply());
    expect(ground.ids().slice(0, 3)).toEqual(made);
    const held = Object.values(await third.state()).map(({ id }) => String(id));
    expect(held.sort()).toEqual(ground.ids().sort());

    const fourth = await machine(third.stateText(), { ERPHOST_RESUME: "true" });
    expectDone(await fourth.apply("-replace=erphost_server.each[0]"));
    expectSix();
    expectDone(await fourth.plan());

    // Nothing shows a saved plan's apply what the state holds.
    const saved = ["-input=false", "-replace=erphost_server.each[1]", "-out=plan.bin"];
    expectDone(await fourth.run("plan", ...saved));
    const before = ground.ids();
    expect(refusal(await fourth.applyPlanned())).toContain("plan and apply in one command");
    expect(ground.ids()).toEqual(before);
  });

  test("a planted intent has no server of somebody else adopted, renamed or deleted, and the error names its file", async () => {
    const { emulator } = ground;
    emulator.reset();
    const here = await ground.attach(HEADER + server("first"));
    expectDone(await here.apply());
    const [theirs] = emulator.createObjects("server", [{ name: "theirs" }]);
    const root = join(here.folder, "intents");
    const folder = join(root, readdirSync(root)[0] ?? "");
    const file = join(folder, `${ID}.7-7.json`);
    const entry = {
      version: 1,
      id: ID,
      account: { baseUrl: emulator.baseUrl, environment: "test" },
      operation: "create",
      kind: "server",
      identity: "second",
      name: "second",
      idempotencyKey: "planted",
      bodyHash: "planted",
      time: Date.now(),
      answer: theirs?.["id"],
      signatures: ["A".repeat(43)],
    };
    writeFileSync(file, JSON.stringify(entry));
    here.write("second.tf", server("second"));
    const refused = refusal(await here.apply());
    expect(refused).toContain(ID);
    expect(refused).toContain("it is not followed, and nothing was changed");
    expect(ground.names()).toEqual(["first", "theirs"]);

    const { out } = await erphost(["intents", "list"], { env: here.env });
    expect(out.join("\n")).toContain("not ours, never followed");
    expect(await erphost(["intents", "drop", ID], { env: here.env })).toMatchObject({ code: 0 });
    expectDone(await here.apply());
    expect(ground.names()).toEqual(["first", "theirs", "second"]);

    symlinkSync(file, file); // To itself: it is there, and cannot be read.
    const unread = unwrapped(expectDone(await here.plan()).output);
    expect(unread).toMatch(/Warning.*annot read.*[(]ELOOP[)]/);
    expect(refusal(await here.apply("-destroy"))).toMatch(/Error.*annot read.*[(]ELOOP[)]/);
    expect(ground.names()).toEqual(["first", "theirs", "second"]);
    rmSync(file);

    const moved = join(here.folder, "moved");
    renameSync(folder, moved);
    symlinkSync(moved, folder);
    expect(unwrapped(expectDone(await here.plan()).output)).toMatch(/Warning.*is a symbolic link/);
    expect(refusal(await here.apply("-destroy"))).toMatch(/Error.*is a symbolic link/);
    expect(ground.names()).toEqual(["first", "theirs", "second"]);
    rmSync(folder);
    renameSync(moved, folder);
    expectDone(await here.apply("-destroy"));
    expect(ground.names()).toEqual(["theirs"]);
  });
});

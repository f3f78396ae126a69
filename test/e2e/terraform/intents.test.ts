/** Intents that somebody else has put into the folder, as a person meets them on the real engines. */
import { readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { erphost } from "../../cli/support";
import {
  buildMirror,
  hasEngine,
  HEADER,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { unwrapped } from "../support/output";

const ID = "3f2a0000-0000-4000-8000-000000000001";
const server = (name: string): string => `
resource "erphost_server" "${name}" {
  name              = "${name}"
  idempotency_token = "${name}"
}
`;

describe.each<EngineName>([ONE_ENGINE])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  let here: TerraformWorkspace;

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 0 });
    const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
    here = await TerraformWorkspace.create({ engine, env }, HEADER + server("first"));
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    here.remove();
    await emulator.close();
  });

  testWithEngine(
    "a planted intent has no server of somebody else adopted, renamed or deleted, and the error names its file",
    async () => {
      expect(await here.apply()).toMatchObject({ code: 0 });
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
      const refused = await here.apply();
      expect(refused.code).toBe(1);
      expect(unwrapped(refused.output)).toContain(ID);
      expect(unwrapped(refused.output)).toContain("it is not followed, and nothing was changed");
      const named = () => emulator.objects("server").map(({ name }) => name);
      expect(named()).toEqual(["first", "theirs"]);

      const { out } = await erphost(["intents", "list"], { env: here.env });
      expect(out.join("\n")).toContain("not ours, never followed");
      expect(await erphost(["intents", "drop", ID], { env: here.env })).toMatchObject({ code: 0 });
      expect(await here.apply()).toMatchObject({ code: 0 });
      expect(named()).toEqual(["first", "theirs", "second"]);

      symlinkSync(file, file); // To itself: it is there, and cannot be read.
      const unread = await here.plan();
      expect(unread.code).toBe(0);
      expect(unwrapped(unread.output)).toMatch(/Warning.*annot read.*[(]ELOOP[)]/);
      const stopped = await here.apply("-destroy");
      expect(stopped.code).toBe(1);
      expect(unwrapped(stopped.output)).toMatch(/Error.*annot read.*[(]ELOOP[)]/);
      expect(named()).toEqual(["first", "theirs", "second"]);
      rmSync(file);

      const moved = join(here.folder, "moved");
      renameSync(folder, moved);
      symlinkSync(moved, folder);
      const exposed = await here.plan();
      expect(exposed.code).toBe(0);
      expect(unwrapped(exposed.output)).toMatch(/Warning.*is a symbolic link/);
      const kept = await here.apply("-destroy");
      expect(kept.code).toBe(1);
      expect(unwrapped(kept.output)).toMatch(/Error.*is a symbolic link/);
      expect(named()).toEqual(["first", "theirs", "second"]);
      rmSync(folder);
      renameSync(moved, folder);
      expect(await here.apply("-destroy")).toMatchObject({ code: 0 });
      expect(named()).toEqual(["theirs"]);
    },
  );
});

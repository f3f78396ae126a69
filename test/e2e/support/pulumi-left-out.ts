/** What updates do not do, on the real engine and in each form: call, wait, or warn again. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import type { PulumiStack } from "../../harness/pulumi-stack";
import type { CommandResult } from "../../harness/command";
import { expectDone, unwrapped } from "./output";

/** A server, its name, and whether a key is left out of its properties. */
export interface Shape {
  readonly name: string;
  readonly less: boolean;
}

/** A stack of one form. */
export interface LeftOutForm {
  readonly stack: PulumiStack;
  edit(shape: Shape): void;
}

const WARNING = /region\W* is left as it is in the service and no longer managed/;

/** The text at the end of a run; Pulumi also prints a message at each step of its resource. */
const diagnosticsOf = ({ output }: CommandResult): string =>
  unwrapped(output.split("Diagnostics:")[1] ?? "");

/** The shared claims; each form brings its program. */
export function describeLeftOut(
  form: string,
  open: (env: Readonly<Record<string, string>>) => Promise<LeftOutForm>,
): void {
  describe(`an update with ${form}`, () => {
    let emulator: Emulator;
    let here: LeftOutForm;

    beforeAll(async () => {
      emulator = await startEmulator({ provisionMs: 0 });
      here = await open({
        ERPHOST_BASE_URL: emulator.baseUrl,
        ERPHOST_API_KEY: emulator.adminKey,
      });
      here.edit({ name: "web", less: false });
      expectDone(await here.stack.up());
    });
    afterAll(async () => {
      here.stack.remove();
      await emulator.close();
    });
    const written = (): string[] =>
      emulator.journal().flatMap(({ method }) => (method === "GET" ? [] : [method]));

    test(`with ${form}, a key taken out of properties is reported once, without a call, and later runs are silent`, async () => {
      here.edit({ name: "web", less: true });
      emulator.clearJournal();
      const preview = diagnosticsOf(expectDone(await here.stack.preview()));
      expect(preview.match(new RegExp(WARNING, "g"))).toHaveLength(1);
      expect(preview).toContain("set it to null instead of leaving it out");
      const up = diagnosticsOf(expectDone(await here.stack.up()));
      expect(up.match(new RegExp(WARNING, "g"))).toHaveLength(1);
      expect(written()).toEqual([]);
      expect(emulator.objects("server")).toMatchObject([{ region: "eu-central", tier: 1 }]);
      const later = [
        await here.stack.refresh("--expect-no-changes"),
        await here.stack.up("--expect-no-changes", "--refresh"),
      ];
      for (const run of later) expect(unwrapped(expectDone(run).output)).not.toMatch(WARNING);
    });

    test(`with ${form}, a server that someone stopped is renamed without waiting for it, and the run succeeds`, async () => {
      const [server] = emulator.objects("server");
      emulator.changeObject("server", String(server?.["id"]), { status: "stopped" });
      here.edit({ name: "web-2", less: true });
      const { output } = expectDone(await here.stack.up("--refresh"));
      expect(unwrapped(output)).toMatch(/was stopped before this update and is stopped now/);
      expect(emulator.objects("server")).toMatchObject([{ name: "web-2", status: "stopped" }]);
    });
  });
}

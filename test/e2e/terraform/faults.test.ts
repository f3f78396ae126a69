/** No fault of the service makes an engine forget an object or create it twice; chaos has kills. */
import { expect, test } from "@jest/globals";
import { HEADER } from "../../harness/terraform-workspace";
import { ALONE, describeOn, ONE } from "../support/engines";
import { expectDone, refusal } from "../support/output";

const POLL_MS = 20;

const servers = (name: string, count = 1): string => `${HEADER}
resource "erphost_server" "all" {
  count = ${count}
  name  = "${name}"
}
`;
const LISTS = { method: "GET", path: "/servers" };

describeOn(ONE, (ground) => {
  test("a 429, a 500 or a refusal during a refresh never plans to create anything again, and a tainted object whose delete failed is deleted by the next run", async () => {
    const { emulator } = ground;
    const here = await ground.attach(servers("twin", 3));
    expectDone(await here.apply());
    emulator.setFaults([
      { match: LISTS, times: 1, effect: { type: "status", status: 429, retry_after: 0 } },
      { match: LISTS, times: 2, effect: { type: "status", status: 500 } },
      { match: LISTS, times: 1, effect: { type: "truncate" } },
    ]);
    expectDone(await here.plan());
    emulator.setFaults([{ match: LISTS, effect: { type: "status", status: 403 } }]);
    expect(refusal(await here.plan())).not.toContain("will be created");
    // The engines ask for the delete of a tainted object without the provider's private data.
    expectDone(await here.run("taint", "erphost_server.all[0]"));
    emulator.setFaults([{ match: { method: "DELETE" }, effect: { type: "status", status: 409 } }]);
    expect(await here.apply()).toMatchObject({ code: 1 });
    emulator.setFaults([]);
    expectDone(await here.apply());
    const held = Object.values(await here.state()).map(({ id }) => String(id));
    expect(held.sort()).toEqual(ground.ids().sort());
    expect(held).toHaveLength(3);
  });

  test("a provider that a debugger runs serves every command that attaches, and outlives it", async () => {
    const here = await ground.attach(servers("debugged"));
    expectDone(await here.apply());
    expectDone(await here.plan());
    expect(ground.debugged?.provider.exitCode).toBeNull();
  });

  test.each([429, 500])(
    "a %d without end waits until it is interrupted, and plans nothing",
    async (status) => {
      const { emulator } = ground;
      const here = await ground.attach(servers(`waiting-${status}`));
      expectDone(await here.apply());
      emulator.clearJournal();
      emulator.setFaults([{ match: LISTS, effect: { type: "status", status, retry_after: 1 } }]);
      const waiting = here.start(["plan", "-input=false"], ALONE);
      const lists = () => emulator.journal().filter(({ path }) => path === "/servers");
      while (lists().length < 2) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      waiting.interrupt();
      expect(refusal(await waiting.finished)).not.toContain("will be created");
      emulator.setFaults([]);
    },
  );

  test("TF_LOG shows the provider's lines at their level, each call with its outcome, and no key", async () => {
    const { emulator } = ground;
    const here = await ground.open(servers("logged"));
    const effect = { type: "status", status: 429, retry_after: 1 } as const;
    emulator.setFaults([{ match: LISTS, times: 1, effect }]);
    const apply = here.start(["apply", "-auto-approve"], { TF_LOG: "DEBUG" });
    const { output } = expectDone(await apply.finished);
    expect(output).toMatch(/\[INFO\] +provider[^\n]*: The service asked for a pause \(429\)/);
    expect(output).toMatch(
      /\[DEBUG\] provider[^\n]*: GET \/servers\?\S* -> 200 in \d+ ms, attempt \d\/\d+, req_\w+/,
    );
    expect(output).toMatch(/\[DEBUG\] provider[^\n]*: POST \/servers -> 201 in \d+ ms, attempt 1/);
    expect(output).not.toContain("@message");
    expect(output).not.toContain(emulator.adminKey);
  });
});

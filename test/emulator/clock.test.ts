import { describe, expect, test } from "@jest/globals";
import { Clock } from "../../emulator/time/clock";
import { ask, started, stoppedTime, tell, until } from "./support";

const create = { body: { name: "a" } };

describe("the clock", () => {
  test("can be advanced, and dates what happens", async () => {
    const emulator = await started();
    const before = Date.now();
    const { body } = await tell(emulator, "PUT /clock", { advance: "90d" });
    const ahead = Date.parse(body.now) - before;
    expect(ahead).toBeGreaterThanOrEqual(90 * 86_400_000);
    expect(ahead).toBeLessThan(90 * 86_400_000 + 5_000);
    const made = await ask(emulator, "POST /servers", create);
    expect(Date.parse(made.body.data.created_at)).toBeGreaterThanOrEqual(Date.parse(body.now));
    expect(Date.parse(made.body.meta.timestamp)).toBeGreaterThanOrEqual(Date.parse(body.now));
  });

  test("can run faster, slower, or not at all", async () => {
    let monotonic = 0;
    const clock = new Clock({ wallMs: () => 1_000, monotonicMs: () => monotonic });
    monotonic = 10;
    expect(clock.nowMs()).toBe(1_010);
    clock.setRate(60);
    monotonic = 20;
    expect(clock.nowMs()).toBe(1_610);
    clock.setRate(0);
    monotonic = 500;
    expect(clock.nowMs()).toBe(1_610);
    clock.advance(5);
    expect(clock.nowMs()).toBe(1_615);
  });

  test.each([{}, { advance: "soon" }, { advance: -1 }, { rate: -1 }, { advance: "1d", x: 1 }])(
    "%j is refused",
    async (change) => {
      const emulator = await started();
      expect((await tell(emulator, "PUT /clock", change)).status).toBe(422);
    },
  );
});

describe("provisioning", () => {
  test("takes its time by the emulator's clock", async () => {
    const emulator = await started({ provisionMs: 3_600_000 });
    const status = async () => (await ask(emulator, "GET /servers")).body.data[0].status;
    expect((await ask(emulator, "POST /servers", create)).body.data.status).toBe("provisioning");
    emulator.advance("59m");
    expect(await status()).toBe("provisioning");
    emulator.advance("1m");
    expect(await status()).toBe("running");
  });

  test("ends by itself in real time as well", async () => {
    const emulator = await started({ provisionMs: 30 });
    await ask(emulator, "POST /servers", create);
    const [server] = await until(
      () => emulator.objects("server"),
      ([each]) => each?.["status"] === "running",
    );
    expect(server?.["status"]).toBe("running");
  });

  test("goes sixty times as fast at sixty times the rate", async () => {
    const { realTime, pass } = stoppedTime();
    const emulator = await started({ realTime, provisionMs: 6_000 });
    emulator.setClock({ rate: 60 });
    await ask(emulator, "POST /servers", create);
    pass(99);
    expect((await ask(emulator, "GET /servers?status=running")).body.data).toHaveLength(0);
    pass(1);
    expect((await ask(emulator, "GET /servers?status=running")).body.data).toHaveLength(1);
  });

  test("stands still with the clock", async () => {
    const { realTime, pass } = stoppedTime();
    const emulator = await started({ realTime, provisionMs: 10 });
    emulator.setClock({ rate: 0 });
    await ask(emulator, "POST /servers", create);
    pass(3_600_000);
    expect((await ask(emulator, "GET /servers")).body.data[0].status).toBe("provisioning");
  });

  test("of 0 ms: ready in the first answer", async () => {
    const emulator = await started({ provisionMs: 0 });
    expect((await ask(emulator, "POST /servers", create)).body.data.status).toBe("running");
  });

  test("is over when the object is gone, or was given another state", async () => {
    const emulator = await started({ provisionMs: 60_000 });
    await ask(emulator, "POST /servers", create);
    await ask(emulator, "POST /servers", create);
    await ask(emulator, "DELETE /servers/srv_1");
    emulator.changeObject("server", "srv_2", { status: "failed" });
    emulator.advance("1h");
    const { data } = (await ask(emulator, "GET /servers")).body;
    expect(data).toMatchObject([{ id: "srv_2", status: "failed" }]);
  });
});

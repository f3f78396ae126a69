import { describe, expect, test } from "@jest/globals";
import { Clock } from "../../emulator/time/clock";
import { send, newEmulator, manualTime, control, until } from "./support";

const create = { body: { name: "a" } };

describe("the clock", () => {
  test("the clock can be advanced and dates what happens next", async () => {
    const emulator = await newEmulator();
    const before = Date.now();
    const { body } = await control(emulator, "PUT /clock", { advance: "90d" });
    const ahead = Date.parse(body.now) - before;
    expect(ahead).toBeGreaterThanOrEqual(90 * 86_400_000);
    expect(ahead).toBeLessThan(90 * 86_400_000 + 5_000);
    const created = await send(emulator, "POST /servers", create);
    expect(Date.parse(created.body.data.created_at)).toBeGreaterThanOrEqual(Date.parse(body.now));
    expect(Date.parse(created.body.meta.timestamp)).toBeGreaterThanOrEqual(Date.parse(body.now));
  });

  test("the clock can run faster, stand still and jump", async () => {
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
    "the clock change %j is refused",
    async (change) => {
      const emulator = await newEmulator();
      expect((await control(emulator, "PUT /clock", change)).status).toBe(422);
    },
  );
});

describe("provisioning", () => {
  test("provisioning takes its time by the emulator's clock", async () => {
    const emulator = await newEmulator({ provisionMs: 3_600_000 });
    const status = async () => (await send(emulator, "GET /servers")).body.data[0].status;
    expect((await send(emulator, "POST /servers", create)).body.data.status).toBe("provisioning");
    emulator.advance("59m");
    expect(await status()).toBe("provisioning");
    emulator.advance("1m");
    expect(await status()).toBe("running");
  });

  test("provisioning ends by itself in real time", async () => {
    const emulator = await newEmulator({ provisionMs: 30 });
    await send(emulator, "POST /servers", create);
    const [server] = await until(
      () => emulator.objects("server"),
      ([each]) => each?.["status"] === "running",
    );
    expect(server?.["status"]).toBe("running");
  });

  test("provisioning is sixty times as fast at sixty times the rate", async () => {
    const { realTime, pass } = manualTime();
    const emulator = await newEmulator({ realTime, provisionMs: 6_000 });
    emulator.setClock({ rate: 60 });
    await send(emulator, "POST /servers", create);
    pass(99);
    expect((await send(emulator, "GET /servers?status=running")).body.data).toHaveLength(0);
    pass(1);
    expect((await send(emulator, "GET /servers?status=running")).body.data).toHaveLength(1);
  });

  test("provisioning stands still while the clock does", async () => {
    const { realTime, pass } = manualTime();
    const emulator = await newEmulator({ realTime, provisionMs: 10 });
    emulator.setClock({ rate: 0 });
    await send(emulator, "POST /servers", create);
    pass(3_600_000);
    expect((await send(emulator, "GET /servers")).body.data[0].status).toBe("provisioning");
  });

  test("with a provisioning time of 0 ms an object is ready in the first answer", async () => {
    const emulator = await newEmulator({ provisionMs: 0 });
    expect((await send(emulator, "POST /servers", create)).body.data.status).toBe("running");
  });

  test("provisioning ends when the object is deleted or its state is set from outside", async () => {
    const emulator = await newEmulator({ provisionMs: 60_000 });
    await send(emulator, "POST /servers", create);
    await send(emulator, "POST /servers", create);
    await send(emulator, "DELETE /servers/srv_1");
    emulator.changeObject("server", "srv_2", { status: "failed" });
    emulator.advance("1h");
    const { data } = (await send(emulator, "GET /servers")).body;
    expect(data).toMatchObject([{ id: "srv_2", status: "failed" }]);
  });
});

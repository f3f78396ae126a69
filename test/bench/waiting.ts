/** What waiting until servers are ready costs in pages of their list, and an apply of them in time. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figure } from "../support/figures";
import { opened } from "./refresh";
import { atATime, counted, seconds, type Section } from "./section";
import { serving } from "./serving";

const APPLIES = [
  { count: 1_000, inFlight: 10 },
  { count: 3_000, inFlight: 10 },
  { count: 1_000, inFlight: 200 },
  { count: 3_000, inFlight: 200 },
] as const;
const PROVISION_MS = 50;

async function measured({ count, inFlight }: (typeof APPLIES)[number]): Promise<Figure[]> {
  const server = await serving("emulator", { provisionMs: PROVISION_MS });
  const intents = mkdtempSync(join(tmpdir(), "erphost-bench-"));
  try {
    let pages = 0;
    const engine = opened(server, intents, (line) => {
      if (line.startsWith("GET /servers")) pages += 1;
    });
    const kind = engine.kind("server");
    const time = await seconds(() =>
      atATime(inFlight, count, async (index) => {
        const { state } = await engine.create(kind, { name: `server-${index}` });
        if (state.values["status"] !== "running") throw new Error(`${state.id} is not ready`);
      }),
    );
    await engine.close();
    const turns = count / inFlight;
    const name = `${count.toLocaleString("en")} creates, ${inFlight} in flight`;
    return [
      counted(
        `${name}, pages`,
        { unit: "pages", sample: pages },
        { name: "a page for each turn", value: turns },
        (1.3 * turns + 20) / turns,
      ),
      counted(
        `${name}, time`,
        { unit: "s", sample: time },
        { name: "0.2 s for each turn", value: turns / 5 },
      ),
    ];
  } finally {
    server.close();
    rmSync(intents, { recursive: true, force: true });
  }
}

export const waitingSection: Section = {
  name: "waiting",
  about: "pages that are read while 1,000 and 3,000 servers are created and become ready",
  async run({ say }) {
    const figures: Figure[] = [];
    for (const apply of APPLIES) {
      say(`${apply.count} servers, ${apply.inFlight} in flight`);
      figures.push(...(await measured(apply)));
    }
    return figures;
  },
};

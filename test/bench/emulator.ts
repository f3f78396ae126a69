/** How long the emulator takes for many requests, compared with Hono alone. */
import { bareClient, type BareClient } from "./bare-client";
import type { Figure } from "../support/figures";
import { atATime, inTurns, timed, type Section } from "./section";
import { manyServers, serving } from "./serving";

const AT_A_TIME = 50;
const CALLS = 5_000;

export const emulatorSection: Section = {
  name: "emulator",
  about: "the emulator compared with a bare Hono server, 50 requests at a time",
  async run({ rounds, say }) {
    const ours = await serving("emulator");
    const reference = await serving("bare");
    await ours.control("POST", "/objects/server", manyServers(20));
    const clients = [ours, reference].map(({ url, apiKey }) => bareClient(url, apiKey, AT_A_TIME));
    try {
      const figures: Figure[] = [];
      const add = async (name: string, call: (client: BareClient, index: number) => unknown) => {
        say(name);
        const [one, other] = clients;
        if (!one || !other) return;
        const load = (client: BareClient) => () =>
          atATime(AT_A_TIME, CALLS, async (index) => call(client, index));
        const times = await inTurns(rounds, { reference: load(other), ours: load(one) });
        figures.push(timed(name, times.ours, { name: "bare Hono", samples: times.reference }));
      };
      await add(`${CALLS.toLocaleString("en")} lists of 20 servers`, (client) =>
        client.page(1, 20),
      );
      await add(`${CALLS.toLocaleString("en")} creates`, (client, index) =>
        client.create(`server-${index}`),
      );
      return figures;
    } finally {
      await Promise.all(clients.map((client) => client.close()));
      ours.close();
      reference.close();
    }
  },
};

/** What the client costs, compared with undici alone on the same calls. */
import { ErpHost } from "../../provider";
import type { Figure } from "../support/figures";
import { bareClient } from "./bare-client";
import { atATime, inTurns, timed, type Section } from "./section";
import { manyServers, serving } from "./serving";

const AT_A_TIME = 10;
const READS = 1_000;
const CREATES = 2_000;
const RATIO_MAX = 1.1;

export const clientSection: Section = {
  name: "client",
  about: "the client compared with bare undici on the same calls, ten at a time",
  async run({ rounds, say }) {
    const server = await serving("emulator");
    const bare = bareClient(server.url, server.apiKey);
    const erphost = new ErpHost({ apiKey: server.apiKey, baseUrl: `${server.url}/v1` });
    try {
      await server.control("POST", "/objects/server", manyServers(100));
      const list = erphost.servers.list({ perPage: 100 });
      const figures: Figure[] = [];
      const add = async (
        name: string,
        ours: () => Promise<unknown>,
        reference: () => Promise<unknown>,
      ) => {
        say(name);
        const times = await inTurns(rounds, { reference, ours });
        const undici = { name: "bare undici", samples: times.reference };
        figures.push(timed(name, times.ours, undici, RATIO_MAX));
      };
      await add(
        `${READS.toLocaleString("en")} pages of 100 servers`,
        () => atATime(AT_A_TIME, READS, () => list.page(1)),
        () => atATime(AT_A_TIME, READS, () => bare.page(1, 100)),
      );
      await add(
        `${CREATES.toLocaleString("en")} creates`,
        () => atATime(AT_A_TIME, CREATES, (n) => erphost.servers.create({ name: `a-${n}` })),
        () => atATime(AT_A_TIME, CREATES, (n) => bare.create(`b-${n}`)),
      );
      return figures;
    } finally {
      await Promise.all([erphost.close(), bare.close()]);
      server.close();
    }
  },
};

/** What the client costs, compared with undici alone on the same calls. */
import { ErpHost } from "../../provider";
import { bareClient } from "./bare-client";
import { atATime, compared, type Figure, type Section } from "./section";
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
        const result = await compared(rounds, ours, reference);
        figures.push({ name, unit: "s", reference: "bare undici", ratioMax: RATIO_MAX, ...result });
      };
      await add(
        `${READS} pages of 100 servers`,
        () => atATime(AT_A_TIME, READS, () => list.page(1)),
        () => atATime(AT_A_TIME, READS, () => bare.page(1, 100)),
      );
      await add(
        `${CREATES} creates`,
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

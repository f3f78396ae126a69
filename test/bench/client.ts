/**
 * What the client costs, compared with undici alone on the same calls; and the emulator, compared
 * with Hono alone.
 */
import { randomUUID } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { ErpHost } from "../../provider";
import { bundlePage } from "../../scripts/bootstrap/bundles.cjs";
import { bundled } from "../chaos/support/bundle";
import type { Figure } from "../support/figures";
import { atATime, inTurns, timed, type Section } from "./section";
import { manyServers, PROGRAM, serving, type Serving } from "./serving";

interface BareClient {
  page(number: number, perPage: number): Promise<number>;
  create(name: string): Promise<void>;
  close(): Promise<void>;
}

/** A pool and JSON, without checks and retries. */
export function bareClient(url: string, apiKey: string, connections = AT_A_TIME): BareClient {
  const pool = new Pool(url, { connections });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return {
    async page(number, perPage) {
      const path = `/v1/servers?page=${number}&per_page=${perPage}`;
      const { body } = await pool.request({ method: "GET", path, headers });
      // Such a client trusts what it reads.
      return ((await body.json()) as { data: unknown[] }).data.length;
    },
    async create(name) {
      const call = { method: "POST", path: "/v1/servers", body: JSON.stringify({ name }) } as const;
      const own = { ...headers, "idempotency-key": randomUUID() };
      const { body } = await pool.request({ ...call, headers: own });
      await body.json();
    },
    close: () => pool.close(),
  };
}

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
      const compared = async (
        name: string,
        count: number,
        call: Readonly<Record<"ours" | "reference", (index: number) => Promise<unknown>>>,
      ): Promise<Figure> => {
        say(name);
        const times = await inTurns(rounds, {
          reference: () => atATime(AT_A_TIME, count, call.reference),
          ours: () => atATime(AT_A_TIME, count, call.ours),
        });
        const undici = { name: "bare undici", samples: times.reference };
        return timed(`${count.toLocaleString("en")} ${name}`, times.ours, undici, RATIO_MAX);
      };
      return [
        await compared("pages of 100 servers", READS, {
          ours: () => list.page(1),
          reference: () => bare.page(1, 100),
        }),
        await compared("creates", CREATES, {
          ours: (index) => erphost.servers.create({ name: `a-${index}` }),
          reference: (index) => bare.create(`b-${index}`),
        }),
      ];
    } finally {
      await Promise.all([erphost.close(), bare.close()]);
      server.close();
    }
  },
};

const EMULATOR_AT_A_TIME = 50;
const EMULATOR_CALLS = 5_000;
const EMULATOR_RATIO_MAX = 3;

/** The program with the page next to it, as an installed package has it. */
async function withPage(folder: string): Promise<string> {
  const { script, styles } = await bundlePage(join(__dirname, "..", ".."));
  for (const name of ["http", "dashboard"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "dashboard", "main.js"), script);
  writeFileSync(join(folder, "dashboard", "main.css"), styles);
  const program = join(folder, "http", "served.cjs");
  copyFileSync(bundled(PROGRAM), program);
  return program;
}

/** From the start of the process until the page for people is there, with its script. */
async function startFigure(rounds: number, folder: string): Promise<Figure> {
  const program = await withPage(folder);
  const answered = (kind: "emulator" | "bare", paths: readonly string[]) => async () => {
    const server = await serving(kind, {}, program);
    for (const path of paths) {
      const answer = await fetch(server.url + path);
      if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`);
      await answer.text();
    }
    server.close();
  };
  const times = await inTurns(rounds, {
    reference: answered("bare", ["/v1/servers"]),
    ours: answered("emulator", ["/", "/page/main.js"]),
  });
  const reference = { name: "bare Hono", samples: times.reference };
  return timed("from the start to the first page", times.ours, reference);
}

export const emulatorSection: Section = {
  name: "emulator",
  about: "the emulator compared with Hono, alone or with a row of SQLite, 50 requests at a time",
  async run({ rounds, say }) {
    const folder = mkdtempSync(join(tmpdir(), "erphost-bench-"));
    const compared = async (
      name: string,
      file: string | undefined,
      call: (client: BareClient, index: number) => Promise<unknown>,
    ): Promise<Figure> => {
      say(name);
      const dataFile = (side: string) => file && join(folder, `${side}-${file}`);
      const servers = {
        ours: await serving("emulator", { dataFile: dataFile("ours") }),
        reference: await serving("bare", { dataFile: dataFile("reference") }),
      };
      await servers.ours.control("POST", "/objects/server", manyServers(20));
      const clientOf = ({ url, apiKey }: Serving) => bareClient(url, apiKey, EMULATOR_AT_A_TIME);
      const clients = { ours: clientOf(servers.ours), reference: clientOf(servers.reference) };
      const load = (client: BareClient) => () =>
        atATime(EMULATOR_AT_A_TIME, EMULATOR_CALLS, (index) => call(client, index));
      try {
        const times = await inTurns(rounds, {
          reference: load(clients.reference),
          ours: load(clients.ours),
        });
        const hono = `Hono, ${file === undefined ? "a fixed answer" : "a row of SQLite as durable"}`;
        return timed(
          `${EMULATOR_CALLS.toLocaleString("en")} ${name}`,
          times.ours,
          { name: hono, samples: times.reference },
          EMULATOR_RATIO_MAX,
        );
      } finally {
        await Promise.all(Object.values(clients).map((client) => client.close()));
        for (const server of Object.values(servers)) server.close();
      }
    };
    try {
      return [
        await compared("lists of 20 servers", undefined, (client) => client.page(1, 20)),
        await compared("creates in a file", "state.db", (client, index) =>
          client.create(`server-${index}`),
        ),
        await startFigure(rounds, folder),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

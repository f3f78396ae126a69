/**
 * A process that creates servers as fast as its quota allows: `load COUNT SHARE WINDOW…`; with
 * `bare` as the share, by plain requests without the client.
 */
import { ErpHost } from "../../../provider";

/** What it prints, as one line of JSON. */
export interface Load {
  /** Milliseconds since 1970 at which each create was answered. */
  readonly answeredAt: readonly number[];
  readonly startedAt: number;
}

/** Creates at a time. */
const AT_A_TIME = 10;

interface Creator {
  readonly create: (name: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function client(share: number, limits: readonly string[]): Creator {
  const erphost = ErpHost.fromEnvironment(undefined, { share, limits });
  return { create: (name) => erphost.servers.create({ name }), close: () => erphost.close() };
}

function bare(): Creator {
  const { ERPHOST_BASE_URL: base = "", ERPHOST_API_KEY: key = "" } = process.env;
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const create = async (name: string): Promise<void> => {
    const body = JSON.stringify({ name });
    const answer = await fetch(`${base}/servers`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`a bare create → ${answer.status}`);
    await answer.text();
  };
  return { create, close: async () => undefined };
}

async function main([count = "1", share = "1", ...limits]: readonly string[]): Promise<void> {
  const { create, close } = share === "bare" ? bare() : client(Number(share), limits);
  const answeredAt: number[] = [];
  const startedAt = Date.now();
  let left = Number(count);
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await create(`load-${left}`);
      answeredAt.push(Date.now());
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  await close();
  const load: Load = { answeredAt, startedAt };
  process.stdout.write(`${JSON.stringify(load)}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});

/** A process that creates servers as fast as its quota lets it: `load COUNT SHARE WINDOW…`. */
import { ErpHost } from "../../../provider";

/** What it prints, as one line of JSON. */
export interface Load {
  /** Milliseconds since 1970 at which each create was answered. */
  readonly answeredAt: readonly number[];
  readonly begunAt: number;
}

/** Creates at a time. */
const AT_A_TIME = 10;

async function main([count = "1", share = "1", ...limits]: readonly string[]): Promise<void> {
  const erphost = ErpHost.fromEnvironment(undefined, { share: Number(share), limits });
  const answeredAt: number[] = [];
  const begunAt = Date.now();
  let left = Number(count);
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await erphost.servers.create({ name: `load-${left}` });
      answeredAt.push(Date.now());
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  await erphost.close();
  const load: Load = { answeredAt, begunAt };
  process.stdout.write(`${JSON.stringify(load)}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});

/** Other places than an account's own address: where its service has moved to, and twins of it. */
import type { Emulator } from "../../../emulator";
import { served } from "../../cli/support";

export const movedTo = ({ baseUrl }: Emulator): string => baseUrl.replace("127.0.0.1", "localhost");

/** Everything that the journal has and that is not a read. */
export const writesTo = (emulator: Emulator): string[] =>
  emulator.journal().flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path}`]));

/**
 * Runs `erphost emulator --from` for the account, with a key that may only read.
 * @param use what happens on the twin, with the environment of a run on it
 */
export async function twinOf(
  account: Pick<Emulator, "baseUrl" | "createKey">,
  use: (env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const { value } = account.createKey({ name: "reader", permissions: ["read", "billing:read"] });
  const { code, err } = await served(
    ["--from", account.baseUrl, "--provision-ms", "5"],
    { ERPHOST_FROM_API_KEY: value },
    async (_, lines) => {
      const set = (lines.at(-1) ?? "").matchAll(/(ERPHOST_\w+)=(\S+)/g);
      await use(Object.fromEntries([...set].map(([, name = "", text = ""]) => [name, text])));
    },
  );
  if (code !== 0) throw new Error(`the twin failed:\n${err.join("\n")}`);
}

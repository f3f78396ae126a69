/** What the compiler infers from the contract; `tsc` checks the lines, jest that they are there. */
import { expect, test } from "@jest/globals";
import type { Collections, ErpHost } from "../../provider";
import type { Camel, ResourceName, Resources } from "../../provider/contract";

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(value?: T) => value;
/** Takes a value for its type alone. */
const typed = (...values: unknown[]) => values.length;

/** Never called: only its types count. */
export async function inferred(erphost: ErpHost): Promise<void> {
  const server = await erphost.servers.create({ name: "a", properties: { zone: "eu" } });
  holds<Same<typeof server.id, string>>();
  holds<Same<typeof server.createdAt, string | undefined>>();
  holds<Same<typeof server.properties, Record<string, unknown>>>();

  const key = await erphost.apiKeys.create({ name: "k", permissions: ["servers:read"] });
  holds<Same<typeof key.ipWhitelist, string[] | undefined>>();
  const rotated = await erphost.apiKeys.rotate(key.id);
  holds<Same<typeof rotated.newKey.value, string>>();

  const [team] = await erphost.teams.list().toArray();
  holds<
    Same<NonNullable<NonNullable<typeof team>["members"]>[number]["role"], string | undefined>
  >();
  for await (const backup of erphost.backups.list({ createdAfter: "2026-01-01" })) {
    holds<Same<typeof backup.instanceId, string | undefined>>();
    typed(backup);
  }
  const gone = await erphost.cloudProviders.get("prv_1");
  holds<Same<NonNullable<typeof gone>["name"], string | undefined>>();

  typed(server, rotated, team, gone);

  // @ts-expect-error a name must be given
  await erphost.servers.create({});
  // @ts-expect-error the service decides the status
  await erphost.servers.create({ name: "a", status: "running" });
  // @ts-expect-error a field that is not known
  await erphost.servers.create({ name: "a", nmae: "b" });
  // @ts-expect-error names are camelCase
  await erphost.instances.create({ name: "a", server_id: "srv_1" });
  // @ts-expect-error the server of an instance can't be changed
  await erphost.instances.update("ins_1", { serverId: "srv_2" });
  // @ts-expect-error a filter of another list
  erphost.servers.list({ edition: "community" });
  // @ts-expect-error there are two directions
  erphost.servers.list({ order: "up" });
  // @ts-expect-error invoices are only listed
  typed(erphost.invoices.create);
  // @ts-expect-error backups are not changed
  typed(erphost.backups.update);
  // @ts-expect-error only keys rotate
  typed(erphost.servers.rotate);
}

test("there is a collection for every resource of the contract, under its plural", () => {
  type Plurals = { [K in ResourceName]: Camel<Resources[K]["plural"]> }[ResourceName];
  expect(holds<Same<keyof Collections, Plurals>>(true)).toBe(true);
  expect(inferred).toBeInstanceOf(Function);
});

/** What programs may write, and what they read; `tsc` checks the lines, jest that they are there. */
import { expect, test } from "@jest/globals";
import type { ErpHost, Server, ServerCreate } from "../../provider";
import { Collections } from "../../provider/client/people/collections.gen";
import { camel, resources } from "../../provider/contract";

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type RequiredIn<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];
const holds = <T extends true>(value?: T) => value;
/** Takes a value for its type alone. */
const typed = (...values: unknown[]) => values.length;

/** Never called: only its types count. */
export async function written(erphost: ErpHost): Promise<void> {
  const input: ServerCreate = { name: "a", properties: { zone: "eu" } };
  const server: Server = await erphost.servers.create(input);
  // What the contract promises of every record is there.
  holds<Same<"id" | "name" | "status" | "createdAt", RequiredIn<Omit<Server, "properties">>>>();
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
  await using closing = erphost;

  typed(server, rotated, team, gone, closing);

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
  const plurals = Object.values(resources).map(({ plural }) => camel(plural));
  const { constructor: _, ...getters } = Object.getOwnPropertyDescriptors(Collections.prototype);
  expect(Object.keys(getters)).toEqual(plurals.sort());
  expect(written).toBeInstanceOf(Function);
});

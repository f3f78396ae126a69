/** What a program passes to the client, before any call: values at run time, and types by `tsc`. */
import { expect, test } from "@jest/globals";
import type { ErpHost, Server, ServerCreate } from "../../provider";
import { camel, InvalidInput, resolveContract, resources as kinds } from "../../provider/contract";
import { Collections } from "../../provider/client/people/collections.gen";
import { bodyFrom, listRequest } from "../../provider/client/people/input";

const { resources } = resolveContract();

const expectFault = (run: () => unknown, ...says: (string | Error)[]) => {
  for (const what of [InvalidInput, ...says]) expect(run).toThrow(what);
};

test("an input becomes a body under wire names, with properties at its top level", () => {
  const input = { name: "erp", serverId: "srv_1", version: undefined, properties: { zone_id: 3 } };
  const body = { name: "erp", server_id: "srv_1", zone_id: 3 };
  expect(bodyFrom(resources.instance, input, "create")).toEqual(body);
  const team = { name: "ops", members: [{ email: "ada@example.com", role: "admin" }] };
  expect(bodyFrom(resources.team, team, "create")).toEqual(team);
});

test("a body takes the wire names of a profile", () => {
  const profile = { resources: { server: { fields: { name: "label" } } } };
  const { server } = resolveContract(profile).resources;
  expect(bodyFrom(server, { name: "n" }, "create")).toEqual({ label: "n" });
  const sentence = "create server: properties.label belongs to the field name; set that instead.";
  const twice = { name: "n", properties: { label: 1 } };
  expectFault(() => bodyFrom(server, twice, "create"), new Error(sentence));
});

const UNKNOWN = "nmae is not a known field. Known fields are name; put others into properties.";
test.each([
  [{}, "name is required"],
  [{ name: "" }, "name "],
  [{ name: null }, "name "],
  [{ name: "n", status: "running" }, "status is decided by the service and cannot be set"],
  [{ name: "n", nmae: 1 }, UNKNOWN],
  [{ name: "n", properties: { name: "m" } }, "properties.name belongs to the field name"],
  [{ name: "n", properties: [] }, "properties must be an object"],
  ["n", "create server: must be an object."],
])("a server from %j is refused: %s", (input, sentence) => {
  expectFault(() => bodyFrom(resources.server, input, "create"), sentence);
});

test("a fault inside a value is named by its path", () => {
  const bob: object = { email: "bob", rolle: "x", constructor: 1 };
  const team = { name: "t", members: [{ email: "ada@example.com" }, bob] };
  expectFault(
    () => bodyFrom(resources.team, team, "create"),
    "members[1].rolle is not a known member; known are email and role",
    ...["members[1].constructor is not a known member", "members[1].email"],
  );
  const snake = () => bodyFrom(resources.instance, { name: "n", server_id: "s" }, "create");
  expectFault(snake, "server_id is not a known field; use serverId");
});

test("a field that cannot be changed is refused in a patch", () => {
  const moved = () => bodyFrom(resources.instance, { serverId: "srv_2" }, "update");
  expectFault(moved, "serverId cannot be changed after creation");
  const version = { version: "18.0" };
  expect(bodyFrom(resources.instance, version, "update")).toEqual(version);
});

const PARAMETERS = "use page, perPage, sort, order or status";
test.each([
  [{ perPage: 101 }, "perPage "],
  [{ page: 0 }, "page "],
  [{ order: "up" }, "order "],
  [{ colour: "red" }, `colour is not a parameter of this list; ${PARAMETERS}`],
])("a list with %j is refused: %s", (input, sentence) => {
  expectFault(() => listRequest(resources.server, input), sentence);
});

test("filters are sent under wire names, and sort takes field names in camelCase", () => {
  const input = { createdAfter: "2026-01-01", sort: "createdAt", order: "asc", page: 2 } as const;
  expect(listRequest(resources.backup, input)).toEqual({
    page: 2,
    perPage: undefined,
    query: { created_after: "2026-01-01", sort: "created_at", order: "asc" },
  });
  const soon = () => listRequest(resources.backup, { createdAfter: "soon" });
  expectFault(soon, "createdAfter must be an ISO 8601 timestamp or date");
});

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type RequiredIn<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];
const holds = <T extends true>(value?: T) => value;
/** Takes a value for its type alone. */
const typed = (...values: unknown[]) => values.length;

/** Never called: only its types count. */
export async function compiles(erphost: ErpHost): Promise<void> {
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
  const plurals = Object.values(kinds).map(({ plural }) => camel(plural));
  const { constructor: _, ...getters } = Object.getOwnPropertyDescriptors(Collections.prototype);
  expect(Object.keys(getters)).toEqual(plurals.sort());
  expect(compiles).toBeInstanceOf(Function);
});

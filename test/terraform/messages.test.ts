/** The message tables of the provider, compared with the official descriptors of the protocol. */
import { afterAll, expect, test } from "@jest/globals";
import { HELD } from "../../provider/terraform/host/plugin";
import { methodsOf } from "../../provider/terraform/server/methods";
import * as m from "../../provider/terraform/wire/messages";
import * as schema from "../../provider/terraform/wire/schema-messages";
import type { Message } from "../../provider/grpc";
import { mutations } from "../grpc/mutations";
import { Protocol, type Compared } from "./support/protocol";
import { TestProvider } from "./support/provider";

const SERVICE = "/tfplugin6.Provider/";
const protocol = new Protocol();
const provider = new TestProvider({});
afterAll(() => provider.close());

const methods = methodsOf(provider.session);

const roots: readonly (readonly [official: string, table: Message<unknown>])[] = [
  ["tfplugin6.GetMetadata.Response", schema.metadata],
  ["tfplugin6.GetProviderSchema.Response", schema.providerSchema],
  ["tfplugin6.GetFunctions.Response", schema.functionsResponse],
  ["grpc.health.v1.HealthCheckResponse", m.healthResponse],
  ...Object.entries(methods).flatMap(([name, { request, answer }]) => {
    const official = protocol.methods.get(`${SERVICE}${name}`);
    return [
      [official?.request ?? name, request],
      [official?.answer ?? name, answer],
    ] as const;
  }),
];
const found: Compared[] = [];
for (const [official, table] of roots) protocol.tablesIn({ table, official }, found);
const compared = found.map((each) => [each.official, each] as const);

test.each(compared)("the fields of %s are those of the official message", (_, each) => {
  expect(protocol.differences(each)).toEqual([]);
});

test.each(compared)("a wrong number, type or name of a field of %s is found", (_, each) => {
  for (const table of mutations(each.table)) {
    expect(protocol.differences({ ...each, table })).not.toEqual([]);
  }
});

test("every message table is compared with an official message", () => {
  const tables = new Set<unknown>(found.map(({ table }) => table));
  const exported = Object.entries({ ...m, ...schema }).filter(
    ([, value]) => typeof value === "object",
  );
  const missing = exported.filter(([, table]) => !tables.has(table)).map(([name]) => name);
  expect(missing).toEqual([]);
});

test.each(Object.keys(methods))("%s is a unary method", (name) => {
  expect(protocol.methods.get(`${SERVICE}${name}`)?.kind).toBe("unary");
});

test.each(HELD)("%s is a stream of the official protocol", (path) => {
  expect(["held", "stream"]).toContain(protocol.methods.get(path)?.kind);
});

test.each([
  ["tfplugin6.Diagnostic.Severity.ERROR", m.SEVERITY_ERROR],
  ["tfplugin6.Diagnostic.Severity.WARNING", m.SEVERITY_WARNING],
  ["tfplugin6.StringKind.MARKDOWN", schema.MARKDOWN],
  ["tfplugin6.Schema.Object.NestingMode.SINGLE", schema.NESTING_SINGLE],
  ["tfplugin6.Schema.Object.NestingMode.LIST", schema.NESTING_LIST],
  ["tfplugin6.Schema.Object.NestingMode.SET", schema.NESTING_SET],
])("%s has the official number", (name, number) => {
  expect(protocol.constants.get(name)).toBe(number);
});

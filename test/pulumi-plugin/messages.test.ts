/**
 * The message tables of the plugin, compared with the message classes of Pulumi's own SDK. Those have
 * no descriptors, so a message with every field is written by one side and read by the other.
 */
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import * as pb from "@pulumi/pulumi/proto/provider_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Message as Official } from "google-protobuf";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { afterAll, expect, test } from "@jest/globals";
import { registerOutputs, registerResource } from "../../provider/pulumi/plugin/component/monitor";
import { engineLog } from "../../provider/pulumi/plugin/host";
import * as m from "../../provider/pulumi/plugin/messages.gen";
import { methodsOf } from "../../provider/pulumi/plugin/methods/table";
import { decodeMessage, encodeMessage, encodeStruct, type Message } from "../../provider/grpc";
import { openPlugin } from "./support";

interface OfficialClass {
  new (): Official;
  deserializeBinary(bytes: Uint8Array): Official;
}

type Table = Message<unknown>;
type Field = Table["fields"][number];
type Values = Readonly<Record<string, unknown>>;

/** Messages that tables pass on as bytes: samples with one text in them. */
const PASSED_ON: Readonly<Record<string, Buffer>> = {
  replacement_trigger: Buffer.from([0x1a, 1, 0x78]),
  customTimeouts: Buffer.from([0x0a, 1, 0x79]),
  resource_hooks: Buffer.from([0x0a, 1, 0x7a]),
  hooks: Buffer.from([0x0a, 1, 0x7a]),
  aliases: Buffer.from([0x0a, 1, 0x77]),
};

/** A message in which no two fields have the same value. */
function sampleOf(table: Table): Values {
  return Object.fromEntries(
    table.fields.map(([name, [number, type, label]]) => {
      const one = valueOf([name, [number, type]]);
      if (label === "list") return [name, [one, valueOf([name, [number + 1000, type]])]];
      return [name, label === "map" ? { [`key ${number}`]: one } : one];
    }),
  );
}

function valueOf([name, [number, type]]: Field): unknown {
  if (type === "string") return `text ${number}`;
  if (type === "bytes") return PASSED_ON[name] ?? encodeStruct({ [`member ${number}`]: number });
  if (type === "bool") return true;
  if (type === "integer") return number + 2;
  return type === "double" ? number + 0.5 : sampleOf(type());
}

/** Expects that the class reads what the table writes, under the same names, and the reverse. */
function expectSame(table: Table, official: OfficialClass): void {
  const sample = sampleOf(table);
  const theirs = official.deserializeBinary(encodeMessage(table, sample));
  expect(decodeMessage(table, Buffer.from(theirs.serializeBinary()))).toEqual(sample);
  expect(lowered(theirs.toObject())).toMatchObject(shown(table, sample));
}

/** The values as the class shows them, without those that it shows in a form of its own. */
const shown = (table: Table, values: Values): Values =>
  Object.fromEntries(
    table.fields
      .filter(([, [, type]]) => type !== "bytes")
      .map(([name, [, type, label = ""]]) => {
        const one = (value: unknown): unknown =>
          typeof type === "function" ? shown(type(), value as Values) : value;
        const value = values[name];
        const key = `${name.replaceAll("_", "")}${label === "optional" ? "" : label}`.toLowerCase();
        if (label === "list") return [key, (value as unknown[]).map(one)];
        if (label !== "map") return [key, one(value)];
        return [key, Object.entries(value as Values).map(([member, each]) => [member, one(each)])];
      }),
  );

function lowered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name.toLowerCase(), lowered(each)]),
  );
}

const plugin = openPlugin();
afterAll(() => plugin.close());

/** A method as Pulumi's SDK defines it; not part of its types. */
interface OfficialMethod {
  readonly path: string;
  readonly requestType: OfficialClass;
  readonly responseType: OfficialClass;
}
const official = new Map(
  [EngineService, ResourceProviderService, ResourceMonitorService]
    .flatMap((service) => Object.values<unknown>({ ...service }) as readonly OfficialMethod[])
    .map((method) => [method.path, method]),
);

/** Ours, by path. */
const served = Object.entries(methodsOf(plugin.session, { version: "", schema: () => "" }));
const methods = [
  ...served.map(([name, each]) => ({ ...each, path: `/pulumirpc.ResourceProvider/${name}` })),
  ...[registerResource, registerOutputs, engineLog],
];

const compared: readonly (readonly [name: string, Message<unknown>, OfficialClass])[] = [
  ["ErrorResourceInitFailed", m.resourceInitFailed, pb.ErrorResourceInitFailed],
  ["google.rpc.Status", m.statusDetails, Status],
  ...methods.flatMap(({ path, request, answer }) => {
    const { requestType = Empty, responseType = Empty } = official.get(path) ?? {};
    return [
      [`${path}, its request`, request, requestType],
      [`${path}, its answer`, answer, responseType],
    ] as const;
  }),
];

test.each(methods)("$path is a method of the official protocol", ({ path }) => {
  expect(official.has(path)).toBe(true);
});

test.each(compared)("%s: what one side writes, the other reads", (_, table, theirs) => {
  expectSame(table, theirs);
});

test("every message table is compared with an official class", () => {
  const tables = new Set<unknown>(compared.map(([, table]) => table));
  const missing = Object.entries({ ...m })
    .filter(([, value]) => "byNumber" in value && !tables.has(value))
    .map(([name]) => name);
  expect(missing).toEqual([]);
});

test("the component's hooks are the same message in both protocols", () => {
  const hooks = new pb.ConstructRequest.ResourceHooksBinding();
  hooks.setBeforeCreateList(["a"]);
  hooks.setAfterDeleteList(["b"]);
  const { ResourceHooksBinding } = RegisterResourceRequest;
  const read = ResourceHooksBinding.deserializeBinary(hooks.serializeBinary());
  expect(read.toObject()).toEqual(hooks.toObject());
});

test("constants have the official numbers", () => {
  const { Mode } = pb.CheckRequest.AutonamingOptions;
  const officials = [Mode, pb.DiffResponse.DiffChanges, pb.PropertyDiff.Kind, LogSeverity];
  const ours = [m.AutonamingMode, m.DiffChanges, m.DiffKind, m.LogSeverity];
  const lower = (of: object) =>
    Object.fromEntries(Object.entries(of).map(([name, number]) => [name.toLowerCase(), number]));
  expect(ours).toEqual(officials.map(lower));
});

/**
 * How much code an operation enters: the plugin's Update of an instance's version from 17.0 to 18.0,
 * and its second Create of a process without a scope. V8 counts the functions of provider/ that ran
 * and the files they are in. Run it with `node scripts/run.cjs typescript test/bench/edit-path.ts`;
 * `--names` prints the engine's functions as well.
 */
import { readFileSync } from "node:fs";
import type { Profiler } from "node:inspector";
import { Session as Inspector } from "node:inspector/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { CreateRequest, CreateResponse, UpdateRequest } from "@pulumi/pulumi/proto/provider_pb";
import { methodsOf } from "../../provider/pulumi/plugin/methods/table";
import { encode, openPlugin } from "../pulumi-plugin/support";
import { runCommand } from "../support/command-line";
import { manyServers, serving } from "./serving";

// Otherwise V8 counts a callback only if one like it has outlived the last garbage collection.
setFlagsFromString("--no-lazy-feedback-allocation");

const ROOT = join(__dirname, "../..");
const URN = "urn:pulumi:dev::project::erphost:index:Instance::it";

/** What ran of a room, or of all of them. */
interface Entered {
  readonly functions: number;
  readonly files: number;
  /** Callbacks, which a reader meets where they are passed. */
  readonly nameless: number;
  /** Getters and setters as somebody wrote them; the compiler adds one for each export. */
  readonly getters: number;
}

type Rooms = Readonly<Record<string, Entered>>;

/** Creates two instances and edits one, and counts what the second create and the edit ran. */
async function measure(): Promise<Readonly<Record<"create" | "edit", Rooms>>> {
  // In another process, since the emulator runs parts of provider/ as well.
  const emulator = await serving();
  const baseUrl = `${emulator.url}/v1`;
  const plugin = openPlugin({ baseUrl, apiKey: emulator.apiKey });
  const methods = methodsOf(plugin.session, { version: "0.0.0", schema: () => "{}" });
  const call = async (name: string, request: { serializeBinary(): Uint8Array }) => {
    const method = methods[name];
    if (!method) throw new Error(`the plugin has no method ${name}`);
    return method(Buffer.from(request.serializeBinary()));
  };
  const inspector = new Inspector();
  inspector.connect();
  try {
    const servers = await emulator.control("POST", "/objects/server", manyServers(1));
    // The emulator's own answer.
    const { objects } = servers as { objects: [{ id: string }] };
    const serverId = objects[0].id;
    const create = async (inputs: Readonly<Record<string, string>>) => {
      const making = new CreateRequest();
      making.setUrn(`${URN}-${inputs["name"]}`);
      making.setProperties(encode(inputs));
      return CreateResponse.deserializeBinary(await call("Create", making));
    };
    const inputs = { name: "erp", serverId, version: "17.0" };
    const instance = await create(inputs);
    const edit = new UpdateRequest();
    edit.setUrn(`${URN}-erp`);
    edit.setId(instance.getId());
    edit.setOlds(instance.getProperties());
    edit.setOldInputs(encode(inputs));
    edit.setNews(encode({ ...inputs, version: "18.0" }));
    await inspector.post("Profiler.enable");
    await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    const entered = async (run: () => Promise<unknown>): Promise<Rooms> => {
      // What ran before is taken away.
      await inspector.post("Profiler.takePreciseCoverage");
      await run();
      const { result } = await inspector.post("Profiler.takePreciseCoverage");
      return roomsOf(result);
    };
    return {
      create: await entered(() => create({ ...inputs, name: "shop" })),
      edit: await entered(() => call("Update", edit)),
    };
  } finally {
    inspector.disconnect();
    await plugin.close();
    emulator.close();
  }
}

/** Functions that a reader can look for. */
const NAMED = /^(?!(?:get|set)\b)\w/;
const ACCESSOR = /^[gs]et \w+$/;

/** By room: `provider/engine`. */
function roomsOf(scripts: readonly Profiler.ScriptCoverage[]): Record<string, Entered> {
  const rooms: Record<string, Entered> = {};
  for (const { url, functions } of scripts) {
    const file = url.startsWith("file:") ? fileURLToPath(url) : url;
    const [top, room] = relative(ROOT, file).split("/");
    if (top !== "provider") continue;
    const names = functions
      .filter(({ ranges: [range] }) => range !== undefined && range.count > 0)
      .map(({ functionName }) => functionName);
    const accessors = names.filter((name) => ACCESSOR.test(name));
    const source = accessors.length > 0 ? readFileSync(file, "utf8") : "";
    const said = names.filter((name) => NAMED.test(name));
    const named = said.length;
    if (named > 0 && room === "engine" && process.argv.includes("--names")) {
      console.log(`  ${relative(join(ROOT, "provider/engine"), file)}: ${said.join(", ")}`);
    }
    rooms[`${top}/${room}`] = sum(rooms[`${top}/${room}`] ?? NOTHING, {
      functions: named,
      files: named > 0 ? 1 : 0,
      nameless: names.filter((name) => name === "").length,
      getters: accessors.filter((name) => source.includes(`${name}(`)).length,
    });
  }
  return rooms;
}

const NOTHING: Entered = { functions: 0, files: 0, nameless: 0, getters: 0 };

const sum = (one: Entered, other: Entered): Entered => ({
  functions: one.functions + other.functions,
  files: one.files + other.files,
  nameless: one.nameless + other.nameless,
  getters: one.getters + other.getters,
});

const text = ({ functions, files, nameless, getters }: Entered): string =>
  `${functions} functions in ${files} files, ${nameless} nameless functions, ${getters} getters`;

runCommand(async () => {
  for (const [what, rooms] of Object.entries(await measure())) {
    for (const [room, entered] of Object.entries(rooms).sort()) {
      console.log(`${room.padEnd(20)}${text(entered)}`);
    }
    console.log(`One ${what} enters ${text(Object.values(rooms).reduce(sum, NOTHING))}.`);
  }
  return 0;
});

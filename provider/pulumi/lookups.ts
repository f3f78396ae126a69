/** Lookups for programs: they run where the program runs, on one engine and its shared walks. */
import * as pulumi from "@pulumi/pulumi";
import {
  itemOf,
  resources,
  toSnake,
  type AuthView,
  type Filter,
  type Item,
  type ResourceName,
  type Resources,
} from "../contract";
import { openEngine, type Engine } from "../engine";
import { sentence, type Message } from "../messages";
import { settingsFrom } from "./settings";
import { dynamicVoice, failureText } from "./voice";

let opened: Engine | undefined;

/** The program's engine. An entry point: environment and stack configuration come in here. */
function engine(): Engine {
  const config = new pulumi.Config("erphost");
  opened ??= openEngine({
    given: settingsFrom((key) => config.get(key)),
    surroundings: {
      env: process.env,
      cwd: process.cwd(),
      pid: process.pid,
      platform: process.platform,
    },
    warn: (message) => void pulumi.log.warn(sentence(dynamicVoice, message)),
    logCall: (line) => void pulumi.log.debug(line),
  });
  return opened;
}

const notices = {
  onNotice: ({ data }: { readonly data: Message }) =>
    void pulumi.log.info(sentence(dynamicVoice, data)),
};

/** Failures in the names of the program. */
async function saying<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(failureText(dynamicVoice, error), { cause: error });
  }
}

/** All records of a list that match the filters. */
export async function lookupList<N extends ResourceName>(
  name: N,
  filter: Filter<Resources[N]>,
): Promise<Item<Resources[N]>[]> {
  const query = toSnake({ ...resources[name].fields, ...resources[name].filters }, filter);
  const records = await saying(() => engine().lookupList(name, query, notices));
  return records.map((record) => itemOf(resources[name], record));
}

/** What one object is looked up by. */
export type By = { readonly id: string } | { readonly name: string };

/** One record by id or by name. It is an error if none or several match. */
export async function lookupOne<N extends ResourceName>(
  name: N,
  by: By,
): Promise<Item<Resources[N]>> {
  const record = await saying(() => engine().lookupOne(name, by, notices));
  return itemOf(resources[name], record);
}

/** What the key in use is and may do. */
export type Auth = AuthView;

/** What the key in use is and may do; never the key itself. */
export const getAuth = (): Promise<Auth> => saying(() => engine().lookupAuth(notices));

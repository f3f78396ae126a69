/** Lookups for programs: they run where the program runs, on one engine and its shared walks. */
import * as pulumi from "@pulumi/pulumi";
import {
  itemOf,
  resources,
  type AuthView,
  type Item,
  type ResourceName,
  type Resources,
} from "../contract";
import { openEngine, type Engine } from "../engine";
import { sentence, type Message } from "../messages";
import { settingsFrom } from "./settings";
import { selectionFrom } from "./values";
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

/** All records of a list that match, newest first. */
export async function lookupList<N extends ResourceName>(
  name: N,
  args: object,
): Promise<Item<Resources[N]>[]> {
  const wanted = selectionFrom(resources[name], "many", { ...args });
  const records = await saying(() => engine().lookupList(name, wanted, notices));
  return records.map((record) => itemOf(resources[name], record));
}

/** The one record that matches. None and several are errors. */
export async function lookupOne<N extends ResourceName>(
  name: N,
  args: object,
): Promise<Item<Resources[N]>> {
  const wanted = selectionFrom(resources[name], "one", { ...args });
  const record = await saying(() => engine().lookupOne(name, wanted, notices));
  return itemOf(resources[name], record);
}

/** Arguments of a lookup that may be outputs. */
export type Inputs<A> = { [K in keyof A]?: pulumi.Input<A[K]> };

/** Looks up as soon as the arguments are known; in a preview that may be never. */
export const waitingFor = <A extends object, T>(
  args: Inputs<A>,
  lookup: (known: pulumi.Unwrap<Inputs<A>>) => Promise<T>,
): pulumi.Output<T> => pulumi.output(args).apply<T>(lookup);

/** What the key in use is and may do. */
export type Auth = AuthView;

/** What the key in use is and may do; never the key itself. */
export const getAuth = (): Promise<Auth> => saying(() => engine().lookupAuth(notices));

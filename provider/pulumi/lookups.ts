/** Lookups for programs: they run where the program runs, on one engine and its shared walks. */
import * as pulumi from "@pulumi/pulumi";
import { itemOf, onceFor, resources, secretNames } from "../contract";
import type { AuthView, ResourceName, Values } from "../contract";
import type { Engine } from "../engine";
import { sentence, type Message } from "../messages";
import { accountOf } from "./accounts";
import { Engines } from "./engines";
import { AUTH_TOKEN, listKey, listToken, oneToken } from "./plugin/values/tokens";
import { keysIn } from "./settings";
import { selectionFrom } from "./values";
import { failureText, voiceOf } from "./voice";

/**
 * The engines of a run. A process that runs Pulumi itself has many, of stacks that differ in key and
 * address; each has a monitor of its own. An entry point: environment and configuration come in here.
 */
const enginesOf = onceFor((_run: object) => {
  const config = new pulumi.Config("erphost");
  const { env, pid, platform } = process;
  return new Engines({
    get: (key) => config.get(key),
    keys: keysIn(pulumi.runtime.allConfig()),
    surroundings: { env, pid, platform, cwd: process.cwd() },
    warn: (text) => void pulumi.log.warn(text),
    logCall: (line) => void pulumi.log.debug(line),
  });
});
const NO_RUN = {};

/** Where a lookup looks. */
export interface LookupOptions {
  /** Name of the account in the stack's configuration. Default: that of the parent. */
  readonly account?: string;
  /** The component that looks it up. */
  readonly parent?: pulumi.Resource;
}

/**
 * What the mocks of a unit test answer, which are asked as for a lookup of the plugin; undefined: there
 * are none. A test calls no service, whatever key its shell has.
 */
async function mocked(token: string, args: object): Promise<Values | undefined> {
  const monitor: object | undefined = pulumi.runtime.getMonitor();
  // The monitor of mocks has them as a member.
  if (monitor === undefined || !("mocks" in monitor)) return undefined;
  // Whatever the test's own function answers.
  return (await pulumi.runtime.invoke(token, { ...args })) as Values;
}

/** One lookup, with notices and failures in the names of the program. */
async function looking<T>(
  { account: own, parent }: LookupOptions,
  work: (engine: Engine, notices: Notices) => Promise<T>,
): Promise<T> {
  const account = own ?? accountOf(parent);
  const voice = voiceOf(account);
  const onNotice = ({ data }: { readonly data: Message }) =>
    void pulumi.log.info(sentence(voice, data));
  try {
    return await work(enginesOf(pulumi.runtime.getMonitor() ?? NO_RUN).of(account), { onNotice });
  } catch (error) {
    throw new Error(failureText(voice, error), { cause: error });
  }
}

interface Notices {
  readonly onNotice: (notice: { readonly data: Message }) => void;
}

/** All records of a list that match, newest first: of the type that the caller says they have. */
export async function lookupList<T>(
  name: ResourceName,
  args: object,
  options: LookupOptions = {},
): Promise<T[]> {
  const wanted = selectionFrom(resources[name], "many", { ...args });
  const answer = await mocked(listToken(resources[name]), args);
  if (answer) return (answer[listKey(resources[name])] ?? []) as T[];
  const records = await looking(options, (engine, how) => engine.lookups.list(name, wanted, how));
  // Both follow from one definition.
  return records.map((record) => itemOf(resources[name], record) as T);
}

/** The one record that matches. None and several are errors. */
export async function lookupOne<T>(
  name: ResourceName,
  args: object,
  options: LookupOptions = {},
): Promise<T> {
  const wanted = selectionFrom(resources[name], "one", { ...args });
  const answer = await mocked(oneToken(resources[name]), args);
  if (answer) return answer as T;
  const record = await looking(options, (engine, how) => engine.lookups.one(name, wanted, how));
  return itemOf(resources[name], record) as T;
}

/** Arguments of a lookup that may be outputs. */
export type Inputs<A> = { [K in keyof A]?: pulumi.Input<A[K]> };

/**
 * Looks up as soon as the arguments are known; in a preview that may be never. What looks like a secret
 * makes all of the answer one: nothing else says which free fields are.
 */
export const waitingFor = <A extends object, T>(
  args: Inputs<A>,
  lookup: (known: pulumi.Unwrap<Inputs<A>>) => Promise<T>,
): pulumi.Output<T> => {
  const answer = pulumi.output(args).apply<T>(lookup);
  return answer.apply((found) =>
    secretNames({ found }).length > 0 ? pulumi.secret("").apply(() => answer) : answer,
  );
};

/** What the key in use is and may do. */
export type Auth = AuthView;

/** What the key in use is and may do; never the key itself. */
export const getAuth = async (options: LookupOptions = {}): Promise<Auth> =>
  ((await mocked(AUTH_TOKEN, {})) as Auth | undefined) ??
  looking(options, (engine, notices) => engine.lookups.auth(notices));

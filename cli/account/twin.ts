/** An account as the copy that an emulator is filled with. */
import { hasCode, isErpHostError, type CallOptions } from "../../provider";
import { allows, encodeBody, InvalidInput, secretNames } from "../../provider/contract";
import type { AuthView, Contract, ResourceName } from "../../provider/contract";
import type { ServiceRecord, Values } from "../../provider/contract";
import { openEngine, type Engine } from "../../provider/engine";
import { sentence, type Voice } from "../../provider/messages";
import { variableOf } from "../../provider/settings";
import type { Twin } from "../../emulator";
import type { AccountCopy, AccountReader } from "../../emulator/command";
import { textOf, voice } from "../voice";
import type { World } from "../world";
import { shallow } from "./depth";
import { windowsShown } from "./limits";

/** Settings of other runs: which account they are for, and what they do with it. */
const NOT_OURS = ["apiKey", "baseUrl", "environment", "profile", "formerBaseUrl", "twinOf"];

/** @public What the emulator's command reads an account with; loaded by name. */
export const accountReader =
  (world: World): AccountReader =>
  async ({ baseUrl, apiKey, profile }) => {
    if (apiKey === undefined) {
      throw new Error(
        "--from needs a key of that account. Set ERPHOST_FROM_API_KEY; one that may only read will do.",
      );
    }
    const engine = openFor(world, { baseUrl, apiKey, profile });
    try {
      return await copyOf(engine, world, profile);
    } catch (error) {
      if (!isErpHostError(error)) throw error;
      throw new Error(sentence(fromVoice, error.data), { cause: error });
    } finally {
      await engine.close();
    }
  };

function openFor(world: World, given: Readonly<Record<string, unknown>>): Engine {
  const others = new Set(NOT_OURS.map(variableOf));
  const env = Object.fromEntries(Object.entries(world.env).filter(([name]) => !others.has(name)));
  try {
    return openEngine({
      given,
      surroundings: { ...world, env },
      warn: (message) => world.report(`warning: ${textOf(message)}`),
    });
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput("--from", error.issues.map(asOption));
  }
}

/** Where the command has them from. */
const OPTIONS: Readonly<Record<string, string>> = {
  apiKey: "ERPHOST_FROM_API_KEY",
  baseUrl: "--from",
  profile: "--profile",
};

const fromVoice: Voice = {
  ...voice,
  setting: (name) => OPTIONS[name] ?? voice.setting(name),
  howToSet: (name) => (OPTIONS[name] ? `set ${OPTIONS[name]}` : voice.howToSet(name)),
};

const asOption = <I extends InvalidInput["issues"][number]>(issue: I): I => {
  const [head = "", ...rest] = issue.path;
  return { ...issue, path: [OPTIONS[head] ?? head, ...rest] };
};

/** Nothing but GETs: one walk per list, within the quota. A list that this key cannot have is left out. */
async function copyOf(engine: Engine, world: World, profile: unknown): Promise<AccountCopy> {
  const { report, stopped } = world;
  const { contract } = engine;
  const calls: CallOptions = { signal: stopped, onNotice: ({ data }) => report(textOf(data)) };
  const { auth, serviceTime } = await engine.lookups.timedAuth(calls);
  const records: Records = new Map();
  const missing: string[] = [];
  // What refers to others comes first: an object that appears meanwhile is more often there than not.
  for (const name of (Object.keys(contract.resources) as ResourceName[]).reverse()) {
    const { definition } = contract.resources[name];
    const list = definition.plural.replaceAll("_", " ");
    const scope = definition.scopes.list?.scope;
    if (scope !== undefined && !allows(auth.permissions, scope)) {
      missing.push(`warning: the twin has no ${list}: the key lacks ${scope}.`);
      continue;
    }
    const found = await engine.lookups.list(name, {}, calls).catch((error: unknown) => {
      // Assumption: API keys by API.
      if (name !== "api_key" || !hasCode(error, "not_offered")) throw error;
      missing.push(`warning: the twin has no ${list}: the service does not list them.`);
      return undefined;
    });
    if (!found) continue;
    records.set(
      name,
      // Lookups show the newest first; the list itself is in the order of creation.
      found.reverse().map((each) => shallow(each, report)),
    );
    report(`read ${found.length} ${list}`);
  }
  for (const line of missing) report(line);
  const limits = [...windowsShown(auth.rateLimit, Date.parse(serviceTime) || world.nowMs())];
  const twin = twinOf(engine, auth, records, { nowMs: world.nowMs(), limits, profile });
  return { twin, forFile: withoutSecrets(contract, twin, records) };
}

type Records = Map<ResourceName, readonly ServiceRecord[]>;

function twinOf(
  { account, contract }: Engine,
  { accountId }: AuthView,
  records: Records,
  { nowMs, limits, profile }: Pick<Twin, "limits" | "profile"> & { readonly nowMs: number },
): Twin {
  const { baseUrl, environment } = account;
  return {
    version: 1,
    of: { baseUrl, environment, ...(accountId !== undefined && { accountId }) },
    readAt: new Date(nowMs).toISOString(),
    limits,
    ...(profile !== undefined && { profile }),
    objects: Object.fromEntries(
      [...records].map(([name, list]) => [
        name,
        list.map((each) => wireRecord(contract, name, each)),
      ]),
    ),
  };
}

/** As the list showed it. No list shows a secret of the contract; if one did, it would stay here. */
function wireRecord(contract: Contract, name: ResourceName, record: ServiceRecord): Values {
  const { [name]: resource } = contract.resources;
  const shown = Object.entries(record.fields).filter(
    ([field]) => resource.definition.fields[field]?.secret !== true,
  );
  return encodeBody(resource, Object.fromEntries(shown), record.properties);
}

/** Without free fields that look like a secret. */
function withoutSecrets(contract: Contract, twin: Twin, records: Records): Twin {
  const leftOut: { kind: string; id: string; field: string }[] = [];
  const objects = Object.fromEntries(
    [...records].map(([kind, list]) => [
      kind,
      list.map((record) => {
        const { properties, id } = record;
        const hidden = secretNames(properties);
        leftOut.push(...hidden.map((field) => ({ kind, id, field })));
        const open = Object.entries(properties).filter(([field]) => !hidden.includes(field));
        return wireRecord(contract, kind, { ...record, properties: Object.fromEntries(open) });
      }),
    ]),
  );
  return { ...twin, objects, leftOut };
}

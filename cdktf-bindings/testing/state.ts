/** Where a stack keeps its state: in another place it has another one, in which nothing is yet. */
import { resolve } from "node:path";
import { isRecord } from "../../provider/contract";
import { changesIn, type Change } from "./changes";
import type { Block, Configuration } from "./synthesised";

/** Arguments of backends that say where states are; all others say how they are reached. */
const PLACE: ReadonlySet<string> = new Set([
  "address",
  "backend",
  "bucket",
  "conn_str",
  "container",
  "container_name",
  "datacenter",
  "endpoint",
  "endpoints",
  "hostname",
  "key",
  "namespace",
  "organization",
  "path",
  "prefix",
  "region_name",
  "schema_name",
  "secret_suffix",
  "state_name",
  "storage_account_name",
  "table_name",
  "workspace_dir",
  "workspace_key_prefix",
  "workspaces",
]);
/** Those that may have a password in them. */
const SECRETS: ReadonlySet<string> = new Set(["address", "conn_str"]);
/** Who reaches the state, in an address or among the settings of a connection. */
const CREDENTIALS =
  /(?<=\/\/)[^/?#\s]*@|[\s&]*\b(?:user|(?:ssl)?password)\s*=\s*(?:'(?:[^'\\]|\\.)*'|[^\s&]*)/g;
/** On this system or another one. */
const ABSOLUTE = /^(?:[\\/]|[A-Za-z]:)/;

/** What says that the later version of a stack has another state. */
export function changesOfState(then: Configuration, now: Configuration): Change[] {
  // The text of `synth` does not say which stack it is of.
  const { stack = now.stack } = then;
  const after = placeOf(now, now.stack);
  const before = placeOf(then, stack);
  // The library's own file is in the folder where the program ran, which is another on each machine.
  const isOwn = after["path"] === defaultFile(now.stack);
  const places = isOwn ? { ...before, ...withoutFolder(before, stack) } : before;
  return changesIn(places, after, {
    name: "the backend",
    isWithoutEffect: (argument) => !PLACE.has(argument) && !isRegionOf(after, argument),
    isSecret: (argument) => SECRETS.has(argument),
    consequence: () => ", so its state would be another one, which is empty",
  });
}

/** A bucket of Tencent has its name in one region alone. */
const isRegionOf = ({ backend }: Block, argument: string): boolean =>
  backend === "cos" && argument === "region";

/** The arguments of a stack's backend, with its type as one of them. */
function placeOf({ terraform }: Configuration, stack = ""): Block {
  const { cloud, backend } = terraform;
  if (isRecord(cloud)) return { backend: "cloud", ...cloud };
  const [[type, given] = ["local", {}]] = isRecord(backend) ? Object.entries(backend) : [];
  const block: Block = isRecord(given) ? given : {};
  return type === "local"
    ? { ...block, ...localPlace(block, stack) }
    : { ...withoutCredentials(block), backend: type };
}

/** A relative path begins in the stack's own folder, which has the name of the stack. */
function localPlace({ path }: Block, stack = ""): Block {
  const own = defaultFile(stack);
  if (typeof path !== "string" || path === resolve(own)) return { backend: "local", path: own };
  return { backend: "local", path: ABSOLUTE.test(path) ? path : `stacks/${stack}/${path}` };
}

/** The file that the library gives a stack. */
const defaultFile = (stack = ""): string => `terraform.${stack}.tfstate`;

/** The path of a file that has the library's name, as that in the folder of this program. */
function withoutFolder({ backend, path }: Block, stack = ""): Block {
  const own = defaultFile(stack);
  const isElsewhere = backend === "local" && typeof path === "string" && ABSOLUTE.test(path);
  return isElsewhere && path.split(/[\\/]/).at(-1) === own ? { path: own } : {};
}

/** Another password reaches the same state. */
const withoutCredentials = (block: Block): Block =>
  Object.fromEntries(
    Object.entries(block).map(([argument, value]) =>
      SECRETS.has(argument) && typeof value === "string"
        ? [argument, value.replace(CREDENTIALS, "").trim()]
        : [argument, value],
    ),
  );

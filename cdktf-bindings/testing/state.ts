/** Where a stack keeps its state: in another place it has another one, in which nothing is yet. */
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
  "endpoint",
  "endpoints",
  "hostname",
  "key",
  "organization",
  "path",
  "prefix",
  "schema_name",
  "state_name",
  "storage_account_name",
  "workspace_dir",
  "workspace_key_prefix",
  "workspaces",
]);
/** Those that may have a password in them. */
const SECRETS: ReadonlySet<string> = new Set(["address", "conn_str"]);
/** On this system or another one. */
const ABSOLUTE = /^(?:[\\/]|[A-Za-z]:)/;
/** The library's own file, in the folder where the program ran, which is another on each machine. */
const DEFAULT_FILE = /^.*[\\/](?=terraform\.[^\\/]+\.tfstate$)/;

/** What says that the later version of a stack has another state. */
export function changesOfState(then: Configuration, now: Configuration): Change[] {
  // The text of `synth` does not say which stack it is of.
  const { stack = now.stack } = then;
  return changesIn(placeOf(then, stack), placeOf(now, now.stack), {
    name: "the backend",
    isWithoutEffect: (argument) => !PLACE.has(argument),
    isSecret: (argument) => SECRETS.has(argument),
    consequence: () => ", so its state would be another one, which is empty",
  });
}

/** The arguments of a stack's backend, with its type as one of them. */
function placeOf({ terraform }: Configuration, stack = ""): Block {
  const { cloud, backend } = terraform;
  if (isRecord(cloud)) return { backend: "cloud", ...cloud };
  const [[type, given] = ["local", {}]] = isRecord(backend) ? Object.entries(backend) : [];
  const block: Block = isRecord(given) ? given : {};
  return type === "local" ? { ...block, ...localPlace(block, stack) } : { ...block, backend: type };
}

/** A relative path begins in the stack's own folder, which has the name of the stack. */
function localPlace({ path }: Block, stack = ""): Block {
  const file = typeof path === "string" ? path : `/terraform.${stack}.tfstate`;
  const place = ABSOLUTE.test(file) ? file.replace(DEFAULT_FILE, "") : `stacks/${stack}/${file}`;
  return { backend: "local", path: place };
}

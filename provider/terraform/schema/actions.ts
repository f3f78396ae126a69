/** Actions: what Terraform 1.14 and later can have done without an object of its own. */
import { resources } from "../../contract";
import { noun } from "../../messages";
import { PROVIDER } from "../names";
import type { Block } from "./lookups";
import { byTypeName, type Attribute } from "./model";

/** How long an invocation waits; the name that blocks of resources have for it. */
export const TIMEOUT = "timeout";
/** What tells backups apart that a run on another machine may have taken. */
export const PURPOSE = "purpose";

/** Objects of which the service takes backups, by the attribute that has an id. */
export const TARGETS = [
  { of: "instance", id: "instance_id", name: "instance" },
  { of: "server", id: "server_id", name: "server" },
] as const;

const text = (name: string, doc: string, example?: string): Attribute => ({
  name,
  type: "string",
  mode: "optional",
  doc,
  ...(example !== undefined && { example }),
});

const backup: Block = {
  typeName: `${PROVIDER}_backup`,
  doc: "Takes a backup of an instance or of a server, and waits for it. An update that it comes before stops where the backup fails. Nothing is in the state: declare `erphost_backup` as a resource where other objects refer to a backup.",
  attributes: [
    ...TARGETS.flatMap(({ of, id, name }) => [
      text(name, `Name of the ${noun(of)}, looked up when the action is invoked.`, "shop"),
      text(id, `Id of the ${noun(of)}.`, `${resources[of].idPrefix}_1`),
    ]),
    text(
      PURPOSE,
      "What the backup is for, such as a release. Where `scope` is set too, invocations for the same object and purpose within an hour share one backup, on whatever machine they run: another word makes another one.",
      "before 18.0",
    ),
    text(
      TIMEOUT,
      "How long to wait until the backup is ready, such as `90s`, `5m` or `1h30m`; default `20m`.",
      "1h",
    ),
  ].sort((a, b) => (a.name < b.name ? -1 : 1)),
};

export const actions = (): ReadonlyMap<string, Block> => byTypeName([backup]);

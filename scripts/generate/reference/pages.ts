/** `docs/reference/`: a page per kind, one for all lookups, and an index. */
import { kinds, lookups } from "../../../provider/resources";
import { exampleProgram } from "./example";
import { lookupPage } from "./lookups";
import { code, header, page, table } from "../markdown";
import { kindPage, pageOf } from "./kind";
import type { Generated } from "../files";

const FOLDER = "docs/reference";

export const referenceDocs = (): Generated => ({
  ...Object.fromEntries(
    Object.values(kinds).map((kind) => [
      `${FOLDER}/${pageOf(kind)}`,
      kindPage(kind, exampleProgram(kind)),
    ]),
  ),
  [`${FOLDER}/lookups.md`]: lookupPage(lookups),
  [`${FOLDER}/index.md`]: index(),
});

const index = (): string =>
  page(
    header("provider/contract/ and provider/resources/"),
    "# Reference",
    "What a program can declare:",
    table(
      ["Kind", "Pulumi", "Meaning"],
      Object.values(kinds).map((kind) => [
        `[${kind.title}](${pageOf(kind)})`,
        code(`erphost:index:${kind.title}`),
        kind.doc,
      ]),
    ),
    "What a program can look up is in [Lookups](lookups.md). What the service says about each of these is in [the contract](contract.md).",
  );

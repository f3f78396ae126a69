/** Everything that is made from the definitions. */
import * as z from "zod";
import { summarySchema } from "../../cli/plan-summary/schema";
import { renderSchema } from "../../provider/pulumi/plugin/schema/render";
import { release } from "../release/project";
import { architecture } from "./pages/architecture";
import { commentsDocs } from "./pages/comments";
import { clientCollections } from "./client-collections";
import { CDKTN_HASHES, hashesOf } from "./cdktf/cdktn-sources";
import { l1 } from "./cdktf/l1";
import { constructLookups } from "./cdktf/lookups";
import { contractDocs, openapi } from "./contract/page";
import { figuresDocs } from "./pages/figures";
import type { Generated } from "./files";
import { pulumiClasses } from "./pulumi/classes";
import { emulatorDocs } from "./pages/emulator";
import { licencesDocs } from "./pages/licences";
import { commandLineDocs, guidesDocs, messagesDocs, scopesDocs } from "./pages/tables";
import { settingsDocs, versionsPage } from "./pages/tables";
import { referenceDocs } from "./reference/pages";
import { goPeer } from "./terraform/go-peer";
import { terraformDocs } from "./terraform/pages";

/** @public Loaded by name, once the tables that it reads have been written. */
export const derived = async (): Promise<Generated> => ({
  ...architecture(),
  ...clientCollections(),
  ...pulumiClasses(),
  // Pulumi makes SDKs and documentation for every language from it.
  "schema.json": JSON.stringify(renderSchema(release)),
  ...contractDocs(),
  ...emulatorDocs(),
  ...messagesDocs(),
  ...referenceDocs(),
  ...scopesDocs(),
  ...versionsPage(),
  ...settingsDocs(),
  ...commandLineDocs(),
  ...figuresDocs(),
  ...guidesDocs(),
  ...(await commentsDocs()),
  ...licencesDocs(),
  ...openapi(),
  "docs/reference/plan-summary.schema.json": JSON.stringify(z.toJSONSchema(summarySchema)),
  ...terraformDocs(),
  ...goPeer(),
  ...constructLookups(),
  ...(await cdktfBindings()),
});

/** What git holds of L1: cdktf's as it is, and of cdktn's, which the build makes, the hashes. */
async function cdktfBindings(): Promise<Generated> {
  const files: Record<string, string> = {};
  for (const [path, text] of Object.entries(await l1("cdktf"))) {
    files[`cdktf-bindings/generated/${path}`] = text;
  }
  files[CDKTN_HASHES] = `${JSON.stringify(hashesOf(await l1("cdktn")))}\n`;
  return files;
}

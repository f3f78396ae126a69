/** Everything that is made from the definitions. */
import * as z from "zod";
import { summarySchema } from "../../cli/plan-summary/schema";
import { renderSchema } from "../../provider/pulumi/plugin/schema/render";
import { release } from "../release/project";
import { architecture } from "./pages/architecture";
import { cdktfBindings } from "./cdktf/bindings";
import { commentsDocs } from "./pages/comments";
import { clientCollections } from "./client-collections";
import { contractDocs } from "./contract/page";
import { figuresDocs } from "./pages/figures";
import { guidesDocs } from "./pages/guides";
import type { Generated } from "./files";
import { pulumiClasses } from "./pulumi/classes";
import { emulatorDocs } from "./pages/emulator";
import { page as licences } from "../supply-chain/licences.cjs";
import { messagesDocs } from "./pages/messages";
import { openapi } from "./pages/openapi";
import { referenceDocs } from "./reference/pages";
import { scopesDocs } from "./pages/scopes";
import { versionsPage } from "./terraform/versions";
import { settingsDocs } from "./pages/settings";
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
  ...figuresDocs(),
  ...guidesDocs(),
  ...(await commentsDocs()),
  "docs/reference/licences.md": licences(),
  ...openapi(),
  "docs/reference/plan-summary.schema.json": JSON.stringify(z.toJSONSchema(summarySchema)),
  ...terraformDocs(),
  ...goPeer(),
  ...(await cdktfBindings()),
});

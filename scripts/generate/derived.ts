/** Everything that is made from the definitions. */
import { architecture } from "./pages/architecture";
import { cdktfBindings } from "./cdktf/bindings";
import { clientCollections } from "./client-collections";
import { contractDocs } from "./contract/page";
import { figuresDocs } from "./pages/figures";
import type { Generated } from "./files";
import { planSummarySchema } from "./pages/plan-summary";
import { pulumiClasses } from "./pulumi/classes";
import { pulumiMapping } from "./pulumi/mapping";
import { pulumiSchema } from "./pulumi/schema";
import { emulatorDocs } from "./pages/emulator";
import { page as licences } from "../supply-chain/licences.cjs";
import { messagesDocs } from "./pages/messages";
import { openapi } from "./pages/openapi";
import { referenceDocs } from "./reference/pages";
import { scopesDocs } from "./pages/scopes";
import { settingsDocs } from "./pages/settings";
import { goPeer } from "./terraform/go-peer";
import { terraformDocs } from "./terraform/pages";

/** @public Loaded by name, once the tables that it reads have been written. */
export const derived = async (): Promise<Generated> => ({
  ...architecture(),
  ...clientCollections(),
  ...pulumiClasses(),
  ...pulumiSchema(),
  ...pulumiMapping(),
  ...contractDocs(),
  ...emulatorDocs(),
  ...messagesDocs(),
  ...referenceDocs(),
  ...scopesDocs(),
  ...settingsDocs(),
  ...figuresDocs(),
  "docs/reference/licences.md": licences(),
  ...openapi(),
  ...planSummarySchema(),
  ...terraformDocs(),
  ...goPeer(),
  ...(await cdktfBindings()),
});

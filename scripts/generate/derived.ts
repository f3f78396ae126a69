/** Everything that is made from the definitions. */
import { architecture } from "./architecture";
import { cdktfBindings } from "./cdktf/bindings";
import { cdktfReference } from "./cdktf/reference";
import { contractDocs } from "./contract-docs";
import type { Generated } from "./files";
import { openapi } from "./openapi";
import { pulumiClasses } from "./pulumi-classes";
import { pulumiSchema } from "./pulumi-schema";
import { messagesDocs } from "./messages-docs";
import { referenceDocs } from "./reference-docs";
import { settingsDocs } from "./settings-docs";
import { terraformDocs } from "./terraform-docs";

/** @public Loaded by name, once the tables that it reads have been written. */
export const derived = async (): Promise<Generated> => ({
  ...architecture(),
  ...pulumiClasses(),
  ...pulumiSchema(),
  ...contractDocs(),
  ...messagesDocs(),
  ...referenceDocs(),
  ...settingsDocs(),
  ...openapi(),
  ...terraformDocs(),
  ...cdktfReference(),
  ...(await cdktfBindings()),
});

/** Everything that is made from the definitions. */
import { contractDocs } from "./contract-docs";
import type { Generated } from "./files";
import { openapi } from "./openapi";
import { pulumiClasses } from "./pulumi-classes";
import { pulumiSchema } from "./pulumi-schema";
import { referenceDocs } from "./reference-docs";

export const derived = (): Generated => ({
  ...pulumiClasses(),
  ...pulumiSchema(),
  ...contractDocs(),
  ...referenceDocs(),
  ...openapi(),
});

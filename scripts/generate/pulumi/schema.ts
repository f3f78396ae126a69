/** `schema.json`, from which Pulumi makes SDKs and documentation for every language. */
import { renderSchema } from "../../../provider/pulumi/plugin/schema/render";
import { release } from "../../release/project";
import type { Generated } from "../files";

export const pulumiSchema = (): Generated => ({
  "schema.json": JSON.stringify(renderSchema(release)),
});

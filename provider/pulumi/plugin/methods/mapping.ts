/** What `pulumi convert --from terraform` must know of the names in Terraform configurations. */
import type { MappingRequest, MappingResponse } from "../messages";
import { terraformMapping } from "../schema/terraform-mapping.gen";
import type { Session } from "../session";
import { PACKAGE } from "../values/tokens";

/** `tf` is what Pulumi called it at first. */
const isTerraform = (key: string): boolean => key === "terraform" || key === "tf";

export const mappings = (_: Session, { key }: { readonly key: string }) => ({
  providers: isTerraform(key) ? [PACKAGE] : [],
});

/** Without a mapping the answer is empty. */
export function mapping(_: Session, { key, provider }: MappingRequest): MappingResponse {
  const isOurs = provider === "" || provider === PACKAGE;
  if (!isTerraform(key) || !isOurs) return { provider: "", data: Buffer.alloc(0) };
  return { provider: PACKAGE, data: Buffer.from(JSON.stringify(terraformMapping())) };
}

import type { TerraformResource } from "cdktf";
import { kinds, type Kind } from "../provider/resources";

const PREFIX = "erphost_";

/** The kind of one of this provider's resources; undefined for other providers' resources. */
export const kindOf = ({ terraformResourceType: type }: TerraformResource): Kind | undefined =>
  type.startsWith(PREFIX) ? kinds[type.slice(PREFIX.length)] : undefined;

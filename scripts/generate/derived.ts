/** Everything that is made from the definitions. */
import type { Generated } from "./files";
import { pulumiClasses } from "./pulumi-classes";

export const derived = (): Generated => ({ ...pulumiClasses() });

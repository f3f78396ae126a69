/** Every face there is. */
import { engineFace } from "./engine";
import type { Face } from "./face";
import { pulumiDynamic } from "./pulumi";

export const faces: readonly Face[] = [engineFace, pulumiDynamic];

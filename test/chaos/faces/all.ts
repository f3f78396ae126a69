/** Every face. */
import { engineFace } from "./engine";
import type { Face } from "./face";
import { pulumiDynamic, pulumiPlugin } from "./pulumi";
import { terraformFace, tofuFace } from "./terraform";

export const faces: readonly Face[] = [
  engineFace,
  pulumiDynamic,
  pulumiPlugin,
  terraformFace,
  tofuFace,
];

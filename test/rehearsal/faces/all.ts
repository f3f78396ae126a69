/** Every face, in the order in which they are rehearsed. */
import { cdktf } from "./cdktf";
import type { Face } from "./face";
import { cli, client, webhooks } from "./npm";
import { dynamic, nodeSdk, pythonSdk, yaml } from "./pulumi";
import { refusals } from "./refusals";
import { terraform, tofu } from "./terraform";

export const faces: readonly Face[] = [
  ...[cli, client, webhooks],
  ...[dynamic, yaml, nodeSdk, pythonSdk],
  ...[terraform, tofu, cdktf],
  refusals,
];
